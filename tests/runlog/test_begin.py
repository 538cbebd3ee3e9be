"""Which settings a run folder is bound to, and from when on."""

from pathlib import Path

import pytest

from vehbench_hf.bank.bank import Bank
from vehbench_hf.errors import RunError
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, begin_run, read_run_json, write_run_json
from vehbench_hf.sampling import Sampling
from vehbench_hf.types import PROBES, SPLITS, Reply, Turn


def settings(bank: Bank, temperature: float | None) -> RunSettings:
    sampling = Sampling(temperature=temperature)
    return RunSettings("m", bank.version, bank.fingerprint, PROBES, SPLITS, None, 1, Protocol(), sampling)


def stored_temperature(folder: Path) -> object:
    return read_run_json(folder)["settings"]["sampling.temperature"]


def test_a_first_call_that_was_refused_does_not_bind_the_folder_to_its_settings(
    small_bank: Bank, tmp_path: Path
) -> None:
    for temperature in (0.0, None, 1.0):
        with TurnWriter(tmp_path) as writer:
            begin_run(tmp_path, settings(small_bank, temperature), small_bank, writer.file)
        assert stored_temperature(tmp_path) == temperature


def test_a_run_with_a_call_or_another_shard_keeps_its_settings(small_bank: Bank, tmp_path: Path) -> None:
    with TurnWriter(tmp_path, "turns-0.jsonl") as first:
        begin_run(tmp_path, settings(small_bank, 0.0), small_bank, first.file)
        with TurnWriter(tmp_path, "turns-1.jsonl") as second, pytest.raises(RunError, match="temperature"):
            begin_run(tmp_path, settings(small_bank, None), small_bank, second.file)
        second.file.unlink()
        first.append(Turn("t", 0, 0, 0, Reply("x")))
        with pytest.raises(RunError, match="temperature"):
            begin_run(tmp_path, settings(small_bank, None), small_bank, first.file)
    assert stored_temperature(tmp_path) == 0.0


def test_a_run_that_is_not_ours_is_not_written_over(small_bank: Bank, tmp_path: Path) -> None:
    flat = settings(small_bank, None).flat()
    write_run_json(tmp_path, {"kind": "recorded", "settings": flat, "bank": "b"})
    with TurnWriter(tmp_path) as writer, pytest.raises(RunError, match="kind"):
        begin_run(tmp_path, settings(small_bank, None), small_bank, writer.file)
    (tmp_path / "run.json").write_text("{}")
    with TurnWriter(tmp_path) as writer, pytest.raises(RunError, match="schema"):
        begin_run(tmp_path, settings(small_bank, None), small_bank, writer.file)
