"""Does a rendered prompt, a note or an id give away what belongs to the gold part of a row?"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from vehbench_builder.audit.gold import gold_designs, part_of
from vehbench_builder.audit.report import Check, Findings, each
from vehbench_hf.bank.bank import Bank
from vehbench_hf.prompts.feedback import rounded
from vehbench_hf.prompts.render import opening
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Design, Stated, Task

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
TELLING_DIGITS = 5
"""Numbers with fewer digits occur by chance; that a prompt shows them is no sign of a leak."""
VERDICT_WORDS = re.compile(
    r"propose_design|declare_infeasible|request_missing_info|\b(?:in)?feasib\w*|unsolvable|under-?determined|\bgold\b",
    re.IGNORECASE,
)
"""Words that decide a P1 brief; no note may use them."""


def text_checks(bank: Bank) -> list[Check]:
    """All checks of what can be read off."""
    return [
        each(prompts_hold_no_gold_words, bank.tasks),
        each(prompts_hold_no_gold_numbers, bank.tasks),
        each(p1_notes_hold_no_verdict, bank.select(("p1",))),
        each(ids_say_nothing, bank.tasks),
    ]


def prompts_hold_no_gold_words(task: Task) -> Findings:
    """No rendered prompt holds the task's id, subtype, paper, pool, difficulty group or certificate."""
    text = _prompt(task)
    shown = [what for what, words in _secrets(task) if words and words.lower() in text]
    yield f"the prompt shows {', '.join(shown)}" if shown else None


def prompts_hold_no_gold_numbers(task: Task) -> Findings:
    """No rendered prompt holds the numbers of a reference, a witness, an anchor design, a bound or a utility."""
    numbers = {float(match) for match in _NUMBER.findall(_prompt(task))}
    shown = [name for name, design in gold_designs(task).items() if _revealed(task, design, numbers)]
    reference = {f"reference {name}": value for name, value in part_of(task, "reference").items()}
    values = {**reference, **{f"utility of {entry['id']}": entry["value"] for entry in task.gold["utilities"]}}
    shown += [
        name
        for name, value in values.items()
        if isinstance(value, float) and significant_digits(rounded(value)) >= TELLING_DIGITS
        if {value, rounded(value)} & numbers
    ]
    yield f"the prompt shows the gold {', '.join(shown)}" if shown else None


def p1_notes_hold_no_verdict(task: Task) -> Findings:
    """No note of a P1 brief uses the words of a verdict."""
    for note in (*task.spec["notes"], *task.spec["excitation"]["stated"]):
        words = VERDICT_WORDS.findall(f"{note['name']} {note['text']}")
        yield f"{note['name']} says {', '.join(words)}" if words else None


def ids_say_nothing(task: Task) -> Findings:
    """No id holds subtype, gold action, trap, profile or paper."""
    own, anchor = _plain(task.task_id), task.anchor
    secrets = {
        "subtype": task.subtype,
        "gold action": task.gold["action"],
        "profile": task.spec["profile"],
        "trap": part_of(task, "trap").get("variable"),
        "paper": anchor and anchor["doi"],
        "anchor": anchor and anchor["key"],
    }
    told = [name for name, words in secrets.items() if words and _plain(words) in own]
    yield f"tells the {', '.join(told)}" if told else None


def _secrets(task: Task) -> Iterator[tuple[str, str | None]]:
    gold, anchor = task.gold, task.anchor
    yield "its id", task.task_id
    yield "its source group", task.source_group
    # A profile is stated by the policy, and a released subtype of P4 is the profile.
    yield "its subtype", task.subtype if task.subtype != task.spec["profile"] else None
    yield "its pool", gold["pool_id"]
    yield "its pool family", gold["pool_family"]
    yield "a certificate", gold["certificate"]
    yield "the trap type", part_of(task, "trap").get("type")
    if anchor:
        yield "the DOI", anchor["doi"]
        yield "the title", anchor["title"]
    yield "the ranking", ">".join(gold["ranking"])
    # In the order of the list every prompt shows the candidates.
    if gold["ranking"] != [candidate["id"] for candidate in task.spec["candidates"]]:
        yield "the ranking", ", ".join(f'"{name}"' for name in gold["ranking"])


def _revealed(task: Task, design: Design, numbers: set[float]) -> bool:
    """Whether a prompt shows every value of a design that is no end of its range, if these have digits enough."""
    boxes = task.spec["variable_bounds"]
    inner = [x for name, x in design.items() if (box := boxes.get(name)) is None or x not in box.values()]
    if sum(significant_digits(value) for value in inner) < TELLING_DIGITS:
        return False
    return all({value, rounded(value)} & numbers for value in inner)


def _prompt(task: Task) -> str:
    return "\n".join(message["content"] for message in opening(task.probe, task.spec, Protocol())).lower()


def _plain(words: str) -> str:
    return re.sub(r"[^a-z0-9]", "", words.lower())


def significant_digits(value: float) -> int:
    """How many significant digits it takes to write `value`; 0 for no number."""
    number = Decimal(repr(value))
    return len(number.normalize().as_tuple().digits) if number.is_finite() and number else 0


def without_numbers(text: str) -> str:
    """`text` with every number replaced by a sign, so that one wording is one text."""
    return re.sub(r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?", "#", text.lower())


def sentences(stated: Sequence[Stated]) -> list[str]:
    """The sentences of some notes."""
    return [sentence for note in stated for sentence in _SENTENCE_END.split(note["text"]) if sentence]
