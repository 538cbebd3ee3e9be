"""`vehbench run`: evaluate a model on a bank; the same command takes an unfinished run up again."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from vehbench_cli import run_options as o
from vehbench_cli.dry_run import print_estimate
from vehbench_cli.options import DEFAULT_BANK, BankOption, read_list
from vehbench_cli.progress import RunProgress, used_text
from vehbench_cli.run_folder import claim, make_folder, note_backend
from vehbench_cli.scored import score_and_print
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.subsets import chosen
from vehbench_hf.episodes import begin_episode
from vehbench_hf.errors import UserError
from vehbench_hf.isomorphic.reading import fingerprint_of_isomorphic
from vehbench_hf.isomorphic.types import AnyTask
from vehbench_hf.protocol import Protocol
from vehbench_hf.runlog import RunSettings, TurnWriter, read_turns, run_folder_name
from vehbench_hf.sampling import DEFAULT_MAX_TOKENS, Sampling, Weights
from vehbench_hf.types import ALL_SPLITS, PROBES
from vehbench_hf.user_files.prices import read_price

if TYPE_CHECKING:
    from vehbench_runners import Backend


def run_command(
    model: o.Model = None,
    probes: o.Probes = "all",
    split: o.Splits = "all",
    domain: o.Domain = "veh",
    limit: o.Limit = None,
    subset: o.Subset = None,
    isomorphic: o.Isomorphic = False,
    bank: BankOption = DEFAULT_BANK,
    out: o.Out = None,
    epochs: o.Epochs = 1,
    shard: o.Shard = None,
    print_prompt: o.PrintPrompt = None,
    protocol: o.PaperProtocol = "default",
    temperature: o.Temperature = None,
    top_p: o.TopP = None,
    max_tokens: o.MaxTokens = None,
    reasoning_effort: o.Effort = None,
    reasoning_tokens: o.ReasoningTokens = None,
    seed: o.Seed = None,
    structured: o.Structured = False,
    request_field: o.RequestFields = None,
    base_url: o.BaseUrl = None,
    concurrency: o.Concurrency = None,
    max_retries: o.MaxRetries = 6,
    timeout: o.Timeout = 1800.0,
    key_variable: o.KeyVariable = "OPENAI_API_KEY",
    revision: o.Revision = None,
    dtype: o.Dtype = None,
    quantization: o.Quantization = None,
    max_model_len: o.MaxModelLen = None,
    tensor_parallel_size: o.TensorParallel = None,
    pipeline_parallel_size: o.PipelineParallel = None,
    data_parallel_size: o.DataParallel = None,
    distributed_executor_backend: o.Executor = None,
    gpu_memory_utilization: o.GpuMemory = None,
    engine_arg: o.EngineArguments = None,
    vllm_server: o.VllmServer = False,
    p2_stop: o.P2Stop = "feasible",
    p2_queries: o.P2Queries = None,
    p3_history: o.P3History = "stored",
    p3_state: o.P3State = "raw",
    feedback: o.Feedback = "full",
    control: o.ControlPrompt = "none",
    replay_reasoning: o.ReplayReasoning = "none",
    prices: o.Prices = None,
    max_cost: o.MaxCost = None,
    max_tokens_total: o.MaxTokensTotal = None,
    dry_run: o.DryRun = False,
) -> None:
    """Evaluate a model. Killed or interrupted, the same command goes on where it stopped."""
    from vehbench_runners import BackendOptions, Meter, Plan, make_backend, run_tasks

    if protocol == "paper" and (temperature or max_tokens is not None):
        raise UserError("--protocol paper fixes temperature 0 and the provider's longest reply; leave out those two.")
    if max_cost is not None and prices is None:
        raise UserError("--max-cost needs a price table: add --prices FILE.")
    if isomorphic and (structured or subset or probes != "all"):
        raise UserError("--isomorphic runs its own questions; it does not go with --structured, --subset or --probes.")
    opened = open_bank(bank)
    part = o.read_shard(shard)
    settings = RunSettings(
        model=model or o.DEFAULT_MODEL,
        bank_version=opened.version,
        bank_fingerprint=opened.fingerprint,
        probes=() if isomorphic else read_list(probes, PROBES, "--probes"),
        splits=read_list(split, ALL_SPLITS, "--split"),
        limit=limit,
        epochs=epochs,
        protocol=Protocol(
            p2_stop=p2_stop,
            p2_queries=p2_queries,
            p3_history=p3_history,
            p3_state=p3_state,
            feedback=feedback,
            control=control,
            replay_reasoning=replay_reasoning,
        ),
        sampling=Sampling(
            temperature=0.0 if protocol == "paper" else temperature,
            top_p=top_p,
            max_tokens=None if protocol == "paper" else max_tokens or DEFAULT_MAX_TOKENS,
            reasoning_effort=reasoning_effort,
            reasoning_tokens=reasoning_tokens,
            seed=seed,
            structured=structured,
            extra=o.named_values(request_field, "--request-field"),
        ),
        subset=subset,
        isomorphic=fingerprint_of_isomorphic(opened) if isomorphic else None,
        weights=Weights(revision=revision, dtype=dtype, quantization=quantization, max_model_len=max_model_len),
    )
    named = {
        "tensor_parallel_size": tensor_parallel_size,
        "pipeline_parallel_size": pipeline_parallel_size,
        "data_parallel_size": data_parallel_size,
        "distributed_executor_backend": distributed_executor_backend,
        "gpu_memory_utilization": gpu_memory_utilization,
    }
    options = BackendOptions(
        base_url=base_url,
        concurrency=concurrency,
        max_retries=max_retries,
        timeout_s=timeout,
        key_variable=key_variable,
        engine={name: value for name, value in named.items() if value is not None}
        | o.named_values(engine_arg, "--engine-arg"),
        managed_server=vllm_server,
    )
    tasks = _tasks(opened, settings)
    backend = make_backend(settings.model, sampling=settings.sampling, weights=settings.weights, options=options)
    price = read_price(prices, settings.model) if prices else None
    mine = tasks[part[0] :: part[1]] if part else tasks
    plan = Plan(mine, epochs, settings.protocol)
    if print_prompt is not None:
        _print_prompt(print_prompt, [*tasks, *opened.tasks], backend, settings.protocol)
        return
    if dry_run:
        print_estimate(plan, backend, price)
        return
    if not backend.is_language_model:
        _say(f"{settings.model} is a built-in baseline, not a language model.")
    folder = out or Path("runs") / run_folder_name(settings)
    make_folder(folder)
    meter = Meter(price, max_cost, max_tokens_total)
    with TurnWriter(folder, f"turns-{part[0]}.jsonl" if part else "turns.jsonl") as writer:
        claim(folder, settings, opened, writer.file)
        logged = read_turns(folder)
        for problem in logged.problems:
            _say(f"warning: {problem}")
        try:
            with RunProgress(mine, epochs, meter) as progress:
                result = run_tasks(
                    plan,
                    backend,
                    writer,
                    logged.turns,
                    meter=meter,
                    on_ready=lambda: note_backend(folder, backend.description()),
                    on_call=progress.on_call,
                    on_episode=progress.on_episode,
                )
        except KeyboardInterrupt:
            _say("interrupted; what was done is kept, the same command goes on from there.")
            raise typer.Exit(130) from None
    if result.stopped is not None and not (logged.turns or result.calls):
        raise result.stopped
    _say(f"{len(result.outcomes)} episodes, {result.calls} calls made now, {result.resumed} episodes from the log.")
    if backend.is_language_model:
        _say(f"whole run so far: {meter.calls:,} calls, {used_text(meter)}.")
    scores = score_and_print(folder, opened)
    typer.echo(f"log: {os.fspath(folder / writer.file.name)}")
    if result.stopped is not None:
        _say(f"the run was stopped: {result.stopped}")
    unscored = [outcome for outcome in result.outcomes.values() if outcome == "infra_error"]
    if result.stopped is not None or unscored or not (scores["complete"] or part):
        _say("the run is incomplete: some tasks are unscored. Give the same command again.")
        raise typer.Exit(3)
    if part and not scores["complete"]:
        _say(f"part {shard} is done; the scores above are complete when the other parts are, too.")


def _tasks(bank: Bank, settings: RunSettings) -> Sequence[AnyTask]:
    tasks: Sequence[AnyTask]
    if settings.isomorphic:
        from vehbench_hf.isomorphic.scored_run import isomorphic_tasks

        tasks = isomorphic_tasks(bank, settings.splits, settings.limit)
    else:
        tasks = chosen(bank, settings.probes, settings.splits, settings.limit, settings.subset)
    if not tasks:
        asked = f"probes {', '.join(settings.probes)} and splits {', '.join(settings.splits)}"
        raise UserError(f"bank {bank.version} has no task in {asked}.")
    return tasks


def _print_prompt(task_id: str, tasks: Sequence[AnyTask], backend: "Backend", protocol: Protocol) -> None:
    task = next((task for task in tasks if task.task_id == task_id), None)
    if task is None:
        raise UserError(f"there is no task {task_id[:80]!r} in this bank; `vehbench tasks` lists them.")
    typer.echo(backend.request_text(task, begin_episode(task, protocol).start()))


def _say(text: str) -> None:
    typer.echo(text, err=True)
