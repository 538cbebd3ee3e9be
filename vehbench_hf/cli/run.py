"""`vehbench run`: evaluate a model on a bank; the same command takes an unfinished run up again."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from vehbench_hf import __version__
from vehbench_hf.bank import Bank, open_bank
from vehbench_hf.cli.options import DEFAULT_BANK, BankOption, read_list
from vehbench_hf.cli.table import print_scores
from vehbench_hf.errors import RunError, UserError
from vehbench_hf.prompts import prompt_texts
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, read_run_json, read_turns, run_folder_name, write_run_json
from vehbench_hf.runlog.settings import differences
from vehbench_hf.scoring.folder import score_folder
from vehbench_hf.selection import limited
from vehbench_hf.types import ALL_SPLITS, PROBES

DEFAULT_MODEL = "baseline/anchor"


def run_command(
    model: Annotated[
        str | None,
        typer.Option(envvar="VEHBENCH_MODEL", help=f"Model to evaluate. Without it the baseline {DEFAULT_MODEL} runs."),
    ] = None,
    probes: Annotated[str, typer.Option(envvar="VEHBENCH_PROBES", help="Probes: p1,p2,p3,p4 or all.")] = "all",
    split: Annotated[
        str, typer.Option(envvar="VEHBENCH_SPLIT", help="Splits: dev,test_id,test_ood,train or all.")
    ] = "all",
    domain: Annotated[Literal["veh"], typer.Option(help="Task domain.")] = "veh",
    limit: Annotated[
        int | None,
        typer.Option(min=1, envvar="VEHBENCH_LIMIT", help="At most N tasks a probe: fixed, stratified, nested."),
    ] = None,
    bank: BankOption = DEFAULT_BANK,
    out: Annotated[
        Path | None, typer.Option(envvar="VEHBENCH_OUT", help="Run folder. Default: runs/<model>-<bank>-<hash>.")
    ] = None,
    seed: Annotated[int, typer.Option(envvar="VEHBENCH_SEED", help="Seed of what is random.")] = 0,
    epochs: Annotated[int, typer.Option(min=1, envvar="VEHBENCH_EPOCHS", help="Repeats of every task.")] = 1,
    p2_stop: Annotated[
        Literal["feasible", "budget"],
        typer.Option(help="End P2 at the first feasible design, or when queries are spent."),
    ] = "feasible",
    p3_history: Annotated[
        Literal["stored", "recomputed"], typer.Option(help="Show P3 histories as stored, or judged anew.")
    ] = "stored",
) -> None:
    """Evaluate a model. Killed or interrupted, the same command goes on where it stopped."""
    from vehbench_runners import Plan, make_backend, run_tasks

    opened = open_bank(bank)
    settings = RunSettings(
        model=model or DEFAULT_MODEL,
        bank_version=opened.version,
        bank_fingerprint=opened.fingerprint,
        probes=read_list(probes, PROBES, "--probes"),
        splits=read_list(split, ALL_SPLITS, "--split"),
        limit=limit,
        seed=seed,
        epochs=epochs,
        protocol=Protocol(p2_stop=p2_stop, p3_history=p3_history),
    )
    tasks = limited(opened.select(settings.probes, settings.splits), limit)
    if not tasks:
        raise UserError(f"bank {opened.version} has no task in probes {probes} and splits {split}.")
    backend = make_backend(settings.model, seed=seed)
    if not backend.is_language_model:
        _say(f"{settings.model} is a built-in baseline, not a language model.")
    folder = out or Path("runs") / run_folder_name(settings)
    _make(folder)
    with TurnWriter(folder) as writer:  # its lock also guards run.json: two commands cannot both claim a new folder
        _claim(folder, settings, opened)
        logged = read_turns(folder)
        for problem in logged.problems:
            _say(f"warning: {problem}")
        try:
            result = run_tasks(Plan(tasks, epochs, settings.protocol), backend, writer, logged.turns)
        except KeyboardInterrupt:
            _say("interrupted; what was done is kept, the same command goes on from there.")
            raise typer.Exit(130) from None
    _say(f"{len(result.outcomes)} episodes, {result.calls} calls made now, {result.resumed} episodes from the log.")
    scores = score_folder(folder, opened)
    print_scores(scores)
    typer.echo(f"log: {folder / 'turns.jsonl'}")
    if not scores["complete"]:
        _say("the run is incomplete: some tasks are unscored. Give the same command again.")
        raise typer.Exit(3)


def _make(folder: Path) -> None:
    """Make the run folder; one that is there must be empty or a run, or what is left of one that was just begun."""
    try:
        there = [file.name for file in folder.iterdir()] if folder.exists() else []
        if "run.json" not in there and not all(name.startswith(("run.json.", "turns")) for name in there):
            raise RunError(f"{folder} is not empty and not a run; give another --out.")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot make the run folder {folder}: {error.strerror}") from None


def _claim(folder: Path, settings: RunSettings, bank: Bank) -> None:
    """Write `run.json`, or check that the one there was made with the same settings."""
    if not (folder / "run.json").exists():
        write_run_json(folder, _description(folder, settings, bank))
        return
    stored = read_run_json(folder)
    kind = [] if stored.get("kind") == "model" else [f"kind: the run has {stored.get('kind')!r}, now 'model'"]
    differing = kind + differences(stored["settings"], settings.flat())
    if differing:
        raise RunError(
            f"{folder} holds a run with other settings; give another --out, or these settings again:\n  "
            + "\n  ".join(differing)
        )
    was = (stored.get("versions") or {}).get("vehbench")
    if was != __version__:
        _say(f"warning: the run was begun with vehbench {was}, this is {__version__}.")


def _description(folder: Path, settings: RunSettings, bank: Bank) -> dict[str, Any]:
    return {
        "kind": "model",
        "settings": settings.flat(),
        "bank": os.path.relpath(bank.path.resolve(), folder.resolve()),
        "versions": {"vehbench": __version__, "python": sys.version.split()[0]},
        "begun": datetime.now(UTC).isoformat(timespec="seconds"),
        "prompts": prompt_texts(),
    }


def _say(text: str) -> None:
    typer.echo(text, err=True)
