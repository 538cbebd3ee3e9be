"""How a reply ended decides what an unreadable one counts as, and whether an answer in a cut one counts."""

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.episodes import Episode, begin_episode
from vehbench_hf.protocol import Protocol
from vehbench_hf.types import Reply


def begin(bank: Bank) -> Episode:
    return begin_episode(next(task for task in bank.tasks if task.probe == "p1"), Protocol())


@pytest.mark.parametrize(
    ("rest", "outcome"),
    [("", "ok"), ("\n```\n", "ok"), (" \n\t", "ok"), (" and then I went on and", None), ('\n{"action": "decl', None)],
)
def test_an_answer_in_a_cut_reply_counts_if_nothing_follows_it(
    rest: str, outcome: str | None, small_bank: Bank
) -> None:
    episode = begin(small_bank)
    episode.receive(Reply('```json\n{"action": "propose_design"}' + rest, finish_reason="max_output_tokens"))
    assert episode.outcome == outcome


@pytest.mark.parametrize(
    ("finish", "outcome"),
    [
        *((word, "refused") for word in ("refusal", "SAFETY", "PROHIBITED_CONTENT", "content-filter", "guardrail")),
        *((word, "infra_error") for word in ("network_error", "abort", "engine_overloaded", "cancelled", "timed out")),
        *(
            (word, None)
            for word in ("stop", "", None, "end_turn", "eos", "model_context_window_exceeded", "MAX_TOKENS")
        ),
        ("something new", "infra_error"),
    ],
)
def test_a_finish_reason_decides_on_an_unreadable_reply(
    finish: str | None, outcome: str | None, small_bank: Bank
) -> None:
    episode = begin(small_bank)
    episode.receive(Reply("I will", finish_reason=finish))
    assert episode.outcome == outcome


def test_an_answer_counts_whatever_new_word_a_server_ends_it_with(small_bank: Bank) -> None:
    episode = begin(small_bank)
    episode.receive(Reply('{"action": "propose_design"}', finish_reason="something new"))
    assert episode.outcome == "ok"
