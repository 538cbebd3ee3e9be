"""A ranking of the candidates: a permutation of their ids, however it is written down."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from vehbench_hf.parsing.unreadable import UnreadableReply, listed, quoted

RANKING_KEYS = (
    "ranking",
    "rank",
    "order",
    "ranked_ids",
    "ranked_candidates",
    "ranking_order",
    "final_ranking",
)
_ID_KEYS = ("id", "candidate_id", "candidate")
_SEPARATORS = (">", "\u2192", "\u227b", ",", ";")  # arrow and "succeeds" signs
_PREFIX = re.compile(r"(?:candidate|design|option)[\s_:#-]*", re.IGNORECASE)
_LONGEST = 1000  # characters of a ranking written as one text, and of an id with the words around it


def read_ranking(values: Mapping[str, object], ids: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The ids best first, and the repairs that were needed.

    Raises UnreadableReply when there is no ranking, or two different ones, or one that is not a permutation
    of `ids`.
    """
    keys = [key for key in RANKING_KEYS if values.get(key) is not None]
    if not keys:
        raise UnreadableReply(f'no ranking; expected "ranking": a list of {_expected(ids)}')
    ranking, repairs = _permutation(values[keys[0]], ids)
    for key in keys[1:]:
        if isinstance(values[key], list | str) and _permutation(values[key], ids)[0] != ranking:
            raise UnreadableReply(f"{keys[0]} and {key} are two different rankings")
    if keys[0] != "ranking":
        repairs = (f"ranking: read from the key '{keys[0]}'", *repairs)
    return ranking, repairs


def _permutation(value: object, ids: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    repairs: list[str] = []
    if isinstance(value, str):
        repairs.append(f"ranking: read the text {quoted(value)} as a list")
        value = _split(value)
    if not isinstance(value, list):
        raise UnreadableReply(f"the ranking must be a list of {_expected(ids)}, got {quoted(value)}")
    if len(value) != len(ids) or not ids:
        raise UnreadableReply(f"the ranking has {len(value)} entries; expected {_expected(ids)}")
    names = [candidate_id(entry, ids) for entry in value]
    for entry, name in zip(value, names, strict=True):
        if name is None:
            raise UnreadableReply(f"the ranking names {quoted(entry)}; expected {_expected(ids)}")
    ranking = tuple(name for name in names if name is not None)
    doubled = sorted({name for name in ranking if ranking.count(name) > 1})
    if doubled:
        raise UnreadableReply(f"the ranking names {listed(doubled)} more than once; expected {_expected(ids)}")
    _check_ranks(value)
    if not repairs and list(ranking) != value:
        repairs.append("ranking: matched the entries to the candidate ids")
    return ranking, tuple(repairs)


def _split(text: str) -> list[object]:
    """The parts between the separators, if only one kind occurs."""
    if len(text) > _LONGEST:
        return [text]
    text = text.replace("->", "\u2192")
    used = [mark for mark in _SEPARATORS if mark in text]
    return [part.strip() for part in text.split(used[0])] if len(used) == 1 else [text]


def candidate_id(entry: object, ids: Sequence[str]) -> str | None:
    """The candidate an entry stands for, None in case of doubt."""
    if isinstance(entry, dict):
        named = [entry[key] for key in _ID_KEYS if key in entry]
        return candidate_id(named[0], ids) if len(named) == 1 and not isinstance(named[0], dict) else None
    if isinstance(entry, int) and not isinstance(entry, bool):
        entry = str(entry)
    if not isinstance(entry, str) or len(entry) > _LONGEST:
        return None
    for text in (entry, entry.strip(), _PREFIX.sub("", entry.strip(), count=1)):
        if text in ids:
            return text
        alike = [name for name in ids if name.casefold() == text.casefold()]
        if len(alike) == 1:
            return alike[0]
    return None


def _check_ranks(entries: list[object]) -> None:
    """Entries that carry ranks of their own must stand in the order of these."""
    ranks = [entry["rank"] for entry in entries if isinstance(entry, dict) and isinstance(entry.get("rank"), int)]
    if any(later <= earlier for earlier, later in pairwise(ranks)):
        raise UnreadableReply("the entries of the ranking do not stand in the order of their own ranks")


def _expected(ids: Sequence[str]) -> str:
    return f"each of {listed(list(ids), most=12)} exactly once"
