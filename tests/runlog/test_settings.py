"""A run is only taken up again with the settings it was begun with."""

from dataclasses import replace
from pathlib import Path

import pytest

from toy_domain import TOY
from vehbench_hf.domains import DOMAINS
from vehbench_hf.errors import BankError, RunError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, read_run_json, run_folder_name, write_run_json
from vehbench_hf.runlog.differences import protocol_label, setting_differences
from vehbench_hf.runlog.settings import domain_of_settings, protocol_of
from vehbench_hf.sampling import Sampling

SETTINGS = RunSettings("openai/x", "veh-v1", "f" * 64, ("p1",), ("dev",), None, 1, Protocol())


@pytest.mark.parametrize(
    "other",
    [
        replace(SETTINGS, model="openai/y"),
        replace(SETTINGS, bank_fingerprint="0"),
        replace(SETTINGS, limit=3),
        replace(SETTINGS, sampling=Sampling(seed=1)),
        replace(SETTINGS, protocol=Protocol(p2_stop="budget")),
        replace(SETTINGS, prompts_fingerprint="0"),
        replace(SETTINGS, oracle_fingerprint="0"),
        replace(SETTINGS, protocol_version="2"),
    ],
)
def test_a_changed_setting_is_another_run_and_is_named(other: RunSettings) -> None:
    assert other.hash8 != SETTINGS.hash8
    found = setting_differences(SETTINGS.flat(), other.flat())
    assert len(found) == 1
    changed = [name for name, value in other.flat().items() if value != SETTINGS.flat()[name]]
    assert found[0].startswith(changed[0])


def test_equal_settings_do_not_differ(tmp_path: Path) -> None:
    write_run_json(tmp_path, {"settings": SETTINGS.flat(), "bank": "b"})
    stored = read_run_json(tmp_path)["settings"]
    assert setting_differences(stored, SETTINGS.flat()) == []
    assert protocol_of(stored) == SETTINGS.protocol


@pytest.mark.parametrize("model", ["../../etc/passwd", "a/b/../c", "x" * 500, "modèle\n\x00", "...", "-rf"])
def test_a_model_name_never_becomes_a_path(model: str) -> None:
    name = run_folder_name(replace(SETTINGS, model=model))
    assert Path(name).name == name
    assert len(name) < 120
    assert not name.startswith((".", "-"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "other"}', "{" * 3000, "\x00"])
def test_a_broken_run_json_is_an_error_with_words(text: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(RunError, match=r"run\.json"):
        read_run_json(tmp_path)


def test_a_folder_without_run_json_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="vehbench run"):
        read_run_json(tmp_path)


def test_a_score_under_other_rules_does_not_look_comparable() -> None:
    assert protocol_label(SETTINGS.flat()) == "1"
    changed = replace(SETTINGS, protocol=Protocol(feedback="coarse", p2_queries=40))
    assert protocol_label(changed.flat()) == "1 (p2_queries 40, feedback coarse)"
    assert protocol_label({"model": "imported"}) == "unreleased"


def test_the_first_domain_goes_unsaid_and_another_has_fingerprints_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DOMAINS, "toy", TOY)
    veh, toy = SETTINGS, replace(SETTINGS, domain="toy", prompts_fingerprint="", oracle_fingerprint="")
    assert "domain" not in veh.flat()
    assert toy.flat()["domain"] == domain_of_settings(toy.flat()) == "toy"
    assert domain_of_settings(veh.flat()) == "veh"
    assert toy.oracle_fingerprint == TOY.fingerprint()
    assert len({veh.prompts_fingerprint, toy.prompts_fingerprint}) == 2
    assert toy.hash8 != veh.hash8


def test_an_unknown_domain_is_refused() -> None:
    with pytest.raises(BankError, match="unknown domain 'steam'"):
        replace(SETTINGS, domain="steam")
