"""`vehbench run`: evaluate a model on a bank; the same command takes an unfinished run up again."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vehbench_cli import run_options as o
from vehbench_cli.commands.score import score_and_print
from vehbench_cli.dry_run import print_estimate
from vehbench_cli.option_groups import grouped
from vehbench_cli.options import BankOption, read_list, read_splits
from vehbench_cli.progress import RunProgress, used_text
from vehbench_cli.unscored import advice, unscored_text
from vehbench_hf.bank.bank import DEFAULT_BANK, Bank, open_bank
from vehbench_hf.bank.subsets import chosen
from vehbench_hf.episodes import begin_episode
from vehbench_hf.errors import UserError
from vehbench_hf.isomorphic.reading import fingerprint_of_isomorphic, isomorphic_tasks
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, begin_run, make_folder, read_turns, run_folder_name
from vehbench_hf.runlog.begin import note_backend
from vehbench_hf.types import PROBES, Task
from vehbench_hf.user_files.prices import read_price
from vehbench_hf.versions import __version__

if TYPE_CHECKING:
    from vehbench_runners import Backend

OPENAI_URL = "https://api.openai.com/v1"


@grouped
def run_command(
    evaluation: o.Evaluation,
    sampling: o.SamplingOptions,
    connection: o.Connection,
    engine: o.LocalEngine,
    rules: o.Rules,
    ceilings: o.Ceilings,
    bank: BankOption = DEFAULT_BANK,
) -> None:
    """Evaluate a model. Killed or interrupted, the same command goes on where it stopped."""
    from vehbench_runners import BackendOptions, Budget, Plan, make_backend, run_tasks
    from vehbench_runners.backend import Interrupted

    asked = sampling.sampling()
    if ceilings.max_cost is not None and ceilings.prices is None:
        raise UserError("--max-cost needs a price table: add --prices FILE.")
    if evaluation.isomorphic and (sampling.structured or evaluation.subset or evaluation.probes != "all"):
        raise UserError("--isomorphic runs its own questions; it does not go with --structured, --subset or --probes.")
    if evaluation.task and (evaluation.isomorphic or evaluation.subset or evaluation.limit is not None):
        raise UserError("--task chooses the tasks by itself; leave out --isomorphic, --subset and --limit.")
    opened = open_bank(bank)
    part = o.read_shard(evaluation.shard)
    settings = RunSettings(
        model=evaluation.model or o.DEFAULT_MODEL,
        bank_version=opened.version,
        bank_fingerprint=opened.fingerprint,
        probes=() if evaluation.isomorphic else read_list(evaluation.probes, PROBES, "--probes"),
        splits=read_splits(evaluation.split),
        limit=evaluation.limit,
        epochs=evaluation.epochs,
        protocol=rules.protocol(),
        sampling=asked,
        subset=evaluation.subset,
        task=tuple(sorted(set(evaluation.task or ()))),
        isomorphic=fingerprint_of_isomorphic(opened) if evaluation.isomorphic else None,
        weights=engine.weights(),
    )
    options = BackendOptions(
        base_url=connection.base_url,
        concurrency=connection.concurrency,
        max_retries=connection.max_retries,
        patience_s=connection.patience,
        timeout_s=connection.timeout,
        stream=connection.stream,
        key_variable=connection.key_variable,
        engine=engine.arguments(),
        managed_server=engine.vllm_server,
    )
    tasks = _tasks(opened, settings)
    backend = make_backend(settings.model, sampling=settings.sampling, weights=settings.weights, options=options)
    price = read_price(ceilings.prices, settings.model) if ceilings.prices else None
    mine = tasks[part[0] :: part[1]] if part else tasks
    plan = Plan(mine, settings.epochs, settings.protocol)
    if evaluation.print_prompt is not None:
        _print_prompt(evaluation.print_prompt, [*tasks, *opened.tasks], backend, settings.protocol)
        return
    if ceilings.dry_run:
        print_estimate(plan, backend, price)
        return
    if not backend.is_language_model:
        _to_stderr(f"{settings.model} is a built-in baseline, not a language model.")
    folder = evaluation.out or Path("runs") / run_folder_name(settings, _server(settings.model, backend))
    make_folder(folder)
    budget = Budget(price, ceilings.max_cost, ceilings.max_tokens_total) if backend.is_language_model else Budget()
    with TurnWriter(folder, f"turns-{part[0]}.jsonl" if part else "turns.jsonl") as writer:
        begun_with = (begin_run(folder, settings, opened, writer.file).get("versions") or {}).get("vehbench")
        if begun_with != __version__:
            _to_stderr(f"warning: the run was begun with vehbench {begun_with}, this is {__version__}.")
        logged = read_turns(folder)
        for problem in logged.problems:
            _to_stderr(f"warning: {problem}")
        try:
            with RunProgress(mine, settings.epochs, budget, backend.trouble) as progress:
                result = run_tasks(
                    plan,
                    backend,
                    writer,
                    logged.turns,
                    budget=budget,
                    on_ready=lambda: note_backend(
                        folder, backend.description(), same_model=connection.same_model or not logged.turns
                    ),
                    on_call=progress.on_call,
                    on_episode=progress.on_episode,
                    on_interrupt=lambda: _to_stderr(
                        f"interrupted: waiting for {budget.in_flight} calls; Ctrl-C again stops at once."
                    ),
                )
            if isinstance(result.stopped, Interrupted):
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            _to_stderr("interrupted; what was done is kept, the same command goes on from there.")
            raise typer.Exit(130) from None
    if result.stopped is not None and not (logged.turns or result.calls):
        raise result.stopped
    _to_stderr(
        f"{len(result.outcomes)} episodes, {result.calls} calls made now, {result.resumed} episodes from the log."
    )
    if backend.is_language_model:
        _to_stderr(f"whole run so far: {budget.calls:,} calls, {used_text(budget)}.")
    scores = score_and_print(folder, opened)
    typer.echo(f"log: {os.fspath(folder / writer.file.name)}")
    if result.stopped is not None:
        _to_stderr(f"the run was stopped: {result.stopped}")
    reasons = list(result.reasons.values())
    if reasons:
        _to_stderr(unscored_text(reasons))
    if result.stopped is not None or reasons or not (scores["complete"] or part):
        _to_stderr(" ".join(["the run is incomplete: some tasks are unscored.", *advice(reasons)]))
        raise typer.Exit(3)
    if part and not scores["complete"]:
        _to_stderr(f"part {evaluation.shard} is done; the scores above are complete when the other parts are, too.")


def _tasks(bank: Bank, settings: RunSettings) -> Sequence[Task]:
    tasks: Sequence[Task]
    if settings.isomorphic:
        tasks = isomorphic_tasks(bank, settings.splits, settings.limit)
    else:
        tasks = chosen(
            bank,
            settings.probes,
            settings.splits,
            settings.limit,
            settings.subset,
            settings.domain,
            settings.task,
        )
    if not tasks:
        asked = f"probes {', '.join(settings.probes)} and splits {', '.join(settings.splits)}"
        raise UserError(f"bank {bank.version} has no task in {asked}.")
    return tasks


def _server(model: str, backend: "Backend") -> str:
    """The address of a server that does not follow from the model's name; empty for all others."""
    address = backend.description().get("base_url") if model.startswith("openai/") else None
    return str(address) if address not in (None, OPENAI_URL) else ""


def _print_prompt(task_id: str, tasks: Sequence[Task], backend: "Backend", protocol: Protocol) -> None:
    task = next((task for task in tasks if task.task_id == task_id), None)
    if task is None:
        raise UserError(f"there is no task {task_id[:80]!r} in this bank; `vehbench tasks` lists them.")
    typer.echo(backend.request_text(task, begin_episode(task, protocol).start()))


def _to_stderr(text: str) -> None:
    typer.echo(text, err=True)
