"""The options of `vehbench run` in groups, and what they mean for the settings of a run."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from vehbench_cli.option_groups import option
from vehbench_hf.errors import UserError
from vehbench_hf.protocol import Control, Protocol
from vehbench_hf.sampling import DEFAULT_MAX_TOKENS, ReasoningEffort, Sampling, Weights

DEFAULT_MODEL = "baseline/anchor"


@dataclass(frozen=True)
class Evaluation:
    """What to run."""

    model: str | None = option(None, f"Model to evaluate, as KIND/NAME. Without it the baseline {DEFAULT_MODEL} runs.")
    probes: str = option("all", "Probes: p1,p2,p3,p4 or all.")
    split: str = option("all", "Splits: dev,test_id,test_ood,train or all; test stands for test_id,test_ood.")
    task: list[str] | None = option(None, "Only the task with this id; may be given several times.", metavar="ID")
    limit: int | None = option(None, "At most N tasks a probe: fixed, stratified, nested.", min=1)
    subset: str | None = option(None, "Only the tasks of this subset of the bank, such as p3_intervention.")
    isomorphic: bool = option(False, "Run the isomorphism audit of the bank instead of the probes.")
    out: Path | None = option(None, "Run folder. Default: runs/<model>-<bank>-<hash>.")
    epochs: int = option(1, "Repeats of every task.", min=1, max=10_000)
    shard: str | None = option(None, "Run part i of n only, as i/n from 0/n; parts share a run folder.")
    print_prompt: str | None = option(None, "Print what would be sent for this task, and stop.", metavar="TASK")


@dataclass(frozen=True)
class SamplingOptions:
    """Sampling."""

    protocol: Literal["default", "paper"] = option(
        "default", "paper: temperature 0 and the provider's longest reply, as in the paper."
    )
    temperature: float | None = option(None, "Not sent unless given.", min=0.0, max=2.0)
    top_p: float | None = option(None, "Not sent unless given.", min=0.0, max=1.0)
    max_tokens: int | None = option(None, f"Longest reply, reasoning included. Default {DEFAULT_MAX_TOKENS}.", min=1)
    reasoning_effort: ReasoningEffort | None = option(None, "Not sent unless given.")
    reasoning_tokens: int | None = option(None, "Budget for reasoning alone.", min=0)
    seed: int | None = option(None, "Seed of sampling and of what is random in a baseline; not sent unless given.")
    structured: bool = option(False, "Ask for replies that follow the probe's JSON schema, where the backend can.")
    request_field: list[str] | None = option(None, "A further field of each request, as NAME=JSON.")

    def sampling(self) -> Sampling:
        """The part of the run's settings. Raises UserError for --protocol paper beside what it fixes."""
        paper = self.protocol == "paper"
        if paper and (self.temperature or self.max_tokens is not None):
            raise UserError(
                "--protocol paper fixes temperature 0 and the provider's longest reply; leave out those two."
            )
        return Sampling(
            temperature=0.0 if paper else self.temperature,
            top_p=self.top_p,
            max_tokens=None if paper else self.max_tokens or DEFAULT_MAX_TOKENS,
            reasoning_effort=self.reasoning_effort,
            reasoning_tokens=self.reasoning_tokens,
            seed=self.seed,
            structured=self.structured,
            extra=named_values(self.request_field, "--request-field"),
        )


@dataclass(frozen=True)
class Connection:
    """Reaching a model."""

    base_url: str | None = option(None, "An OpenAI-compatible endpoint for openai/NAME.")
    concurrency: int | None = option(None, "The most calls in flight.", min=1)
    max_retries: int = option(6, "Repeats of a call that failed while others came through; 0 repeats none.", min=0)
    patience: float = option(600.0, "Seconds without any call that comes through, after which a run stops.", min=0.0)
    timeout: float = option(1800.0, "Longest wait for one reply, in seconds.", min=1.0)
    stream: bool = option(False, "Ask for replies in pieces; --timeout is then the longest wait for the next one.")
    same_model: bool = option(False, "Go on with a run at another server, which serves the same model.")
    key_variable: str = option(
        "OPENAI_API_KEY", "The environment variable that holds the API key; never the key itself."
    )


@dataclass(frozen=True)
class LocalEngine:
    """Local engine."""

    revision: str | None = option(None, "Revision of the weights on the Hub.")
    dtype: str | None = option(None, "Number format of the weights, such as bfloat16.")
    quantization: str | None = option(None, "Quantisation method of the weights.")
    max_model_len: int | None = option(None, "Context length in tokens.", min=1)
    tensor_parallel_size: int | None = option(None, "GPUs that share each layer.", min=1)
    pipeline_parallel_size: int | None = option(None, "Stages that share the layers.", min=1)
    data_parallel_size: int | None = option(None, "Copies of the model.", min=1)
    distributed_executor_backend: str | None = option(None, "mp, or ray for several machines.")
    gpu_memory_utilization: float | None = option(None, "Share of GPU memory to use.", min=0.01, max=1.0)
    engine_arg: list[str] | None = option(None, "A further argument of the engine, as NAME=JSON.")
    vllm_server: bool = option(False, "Start vLLM's OpenAI server and ask it, instead of an engine in this process.")

    def weights(self) -> Weights:
        """The part of the run's settings: replies depend on it."""
        return Weights(self.revision, self.dtype, self.quantization, self.max_model_len)

    def arguments(self) -> dict[str, Any]:
        """The engine's arguments by its own names; --engine-arg comes last."""
        named = {
            "tensor_parallel_size": self.tensor_parallel_size,
            "pipeline_parallel_size": self.pipeline_parallel_size,
            "data_parallel_size": self.data_parallel_size,
            "distributed_executor_backend": self.distributed_executor_backend,
            "gpu_memory_utilization": self.gpu_memory_utilization,
        }
        given = {name: value for name, value in named.items() if value is not None}
        return given | named_values(self.engine_arg, "--engine-arg")


@dataclass(frozen=True)
class Rules:
    """Rules of the episodes."""

    p2_stop: Literal["feasible", "budget"] = option(
        "feasible", "End P2 at the first feasible design, or when the queries are spent."
    )
    p2_queries: int | None = option(None, "A P2 budget other than the brief's.", min=1, max=1000)
    p3_history: Literal["stored", "recomputed"] = option("stored", "Show P3 histories as stored, or judged anew.")
    p3_state: Literal["raw", "summary"] = option("raw", "Show P3 histories as turns, or as a summary of facts.")
    feedback: Literal["full", "coarse"] = option("full", "Feedback with numbers, or with names of violated limits.")
    control: Control = option("none", "A control paragraph of the paper's appendix Q.")
    replay_reasoning: Literal["none", "last", "all"] = option(
        "none", "Show a model its own reasoning of earlier turns."
    )

    def protocol(self) -> Protocol:
        """The part of the run's settings: the fields of `Protocol` that can be chosen."""
        return Protocol(**vars(self))


@dataclass(frozen=True)
class Ceilings:
    """Tokens and money."""

    prices: Path | None = option(None, "A dated price table (YAML).")
    max_cost: float | None = option(None, "Stop at this cost; needs --prices.", min=0.0)
    max_tokens_total: int | None = option(None, "Stop at so many tokens.", min=1)
    dry_run: bool = option(False, "Count calls and tokens, estimate the cost, and call nothing.")


def named_values(given: list[str] | None, flag: str) -> dict[str, Any]:
    """`NAME=JSON` pairs; a value that is no JSON is taken as text. Raises UserError for a pair without a name."""
    values: dict[str, Any] = {}
    for pair in given or []:
        name, equals, text = pair.partition("=")
        if not (equals and name.strip()):
            raise UserError(f"{flag} takes NAME=VALUE, got {pair[:60]!r}.")
        try:
            values[name.strip()] = json.loads(text, parse_constant=_no_number)
        except ValueError:
            values[name.strip()] = text
    return values


def _no_number(text: str) -> NoReturn:
    """NaN and Infinity, which JSON does not have, are texts like any other that is no JSON."""
    raise ValueError(text)


def read_shard(text: str | None) -> tuple[int, int] | None:
    """`i/n` with 0 <= i < n. Raises UserError for anything else."""
    if text is None:
        return None
    number, slash, count = text.partition("/")
    if slash and number.isdecimal() and count.isdecimal() and int(number) < int(count):
        return int(number), int(count)
    raise UserError(f"--shard takes i/n with i from 0 to n-1, such as 0/4; got {text[:40]!r}.")
