"""The options of `vehbench run`. Each also comes from the environment, as VEHBENCH_ and its name in capitals."""

import json
from pathlib import Path
from typing import Annotated, Any, Literal, NoReturn

import typer

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import DEFAULT_MAX_TOKENS, ReasoningEffort

DEFAULT_MODEL = "baseline/anchor"


def option(name: str, help_text: str, **more: Any) -> Any:
    """An option `--name` that can also be given as VEHBENCH_NAME."""
    return typer.Option(f"--{name}", envvar=f"VEHBENCH_{name.upper().replace('-', '_')}", help=help_text, **more)


_WHAT: dict[str, Any] = {"rich_help_panel": "What to run"}
_SAMPLE: dict[str, Any] = {"rich_help_panel": "Sampling"}
_REACH: dict[str, Any] = {"rich_help_panel": "Reaching a model"}
_LOCAL: dict[str, Any] = {"rich_help_panel": "Local engine"}
_RULES: dict[str, Any] = {"rich_help_panel": "Rules of the episodes"}
_MONEY: dict[str, Any] = {"rich_help_panel": "Tokens and money"}

Model = Annotated[
    str | None,
    option("model", f"Model to evaluate, as KIND/NAME. Without it the baseline {DEFAULT_MODEL} runs.", **_WHAT),
]
Probes = Annotated[str, option("probes", "Probes: p1,p2,p3,p4 or all.", **_WHAT)]
Splits = Annotated[str, option("split", "Splits: dev,test_id,test_ood,train or all.", **_WHAT)]
Domain = Annotated[Literal["veh"], option("domain", "Task domain.", **_WHAT)]
Limit = Annotated[int | None, option("limit", "At most N tasks a probe: fixed, stratified, nested.", min=1, **_WHAT)]
Subset = Annotated[
    str | None, option("subset", "Only the tasks of this subset of the bank, such as p3_intervention.", **_WHAT)
]
Isomorphic = Annotated[
    bool, option("isomorphic", "Run the isomorphism audit of the bank instead of the probes.", **_WHAT)
]
Out = Annotated[Path | None, option("out", "Run folder. Default: runs/<model>-<bank>-<hash>.", **_WHAT)]
Epochs = Annotated[int, option("epochs", "Repeats of every task.", min=1, max=10_000, **_WHAT)]
Shard = Annotated[
    str | None, option("shard", "Run part i of n only, as i/n from 0/n; parts share a run folder.", **_WHAT)
]
PrintPrompt = Annotated[
    str | None, option("print-prompt", "Print what would be sent for this task, and stop.", metavar="TASK", **_WHAT)
]

PaperProtocol = Annotated[
    Literal["default", "paper"],
    option("protocol", "paper: temperature 0 and the provider's longest reply, as in the paper.", **_SAMPLE),
]
Temperature = Annotated[float | None, option("temperature", "Not sent unless given.", min=0.0, max=2.0, **_SAMPLE)]
TopP = Annotated[float | None, option("top-p", "Not sent unless given.", min=0.0, max=1.0, **_SAMPLE)]
MaxTokens = Annotated[
    int | None,
    option("max-tokens", f"Longest reply, reasoning included. Default {DEFAULT_MAX_TOKENS}.", min=1, **_SAMPLE),
]
Effort = Annotated[ReasoningEffort | None, option("reasoning-effort", "Not sent unless given.", **_SAMPLE)]
ReasoningTokens = Annotated[int | None, option("reasoning-tokens", "Budget for reasoning alone.", min=0, **_SAMPLE)]
Seed = Annotated[
    int | None,
    option("seed", "Seed of sampling and of what is random in a baseline; not sent unless given.", **_SAMPLE),
]
Structured = Annotated[
    bool, option("structured", "Ask for replies that follow the probe's JSON schema, where the backend can.", **_SAMPLE)
]
RequestFields = Annotated[
    list[str] | None, option("request-field", "A further field of each request, as NAME=JSON.", **_SAMPLE)
]

BaseUrl = Annotated[str | None, option("base-url", "An OpenAI-compatible endpoint for openai/NAME.", **_REACH)]
Concurrency = Annotated[int | None, option("concurrency", "The most calls in flight.", min=1, **_REACH)]
MaxRetries = Annotated[int, option("max-retries", "Repeats of a call that failed on the way.", min=0, **_REACH)]
Timeout = Annotated[float, option("timeout", "Longest wait for one reply, in seconds.", min=1.0, **_REACH)]
KeyVariable = Annotated[
    str, option("key-variable", "The environment variable that holds the API key; never the key itself.", **_REACH)
]

Revision = Annotated[str | None, option("revision", "Revision of the weights on the Hub.", **_LOCAL)]
Dtype = Annotated[str | None, option("dtype", "Number format of the weights, such as bfloat16.", **_LOCAL)]
Quantization = Annotated[str | None, option("quantization", "Quantisation method of the weights.", **_LOCAL)]
MaxModelLen = Annotated[int | None, option("max-model-len", "Context length in tokens.", min=1, **_LOCAL)]
TensorParallel = Annotated[int | None, option("tensor-parallel-size", "GPUs that share each layer.", min=1, **_LOCAL)]
PipelineParallel = Annotated[
    int | None, option("pipeline-parallel-size", "Stages that share the layers.", min=1, **_LOCAL)
]
DataParallel = Annotated[int | None, option("data-parallel-size", "Copies of the model.", min=1, **_LOCAL)]
Executor = Annotated[str | None, option("distributed-executor-backend", "mp, or ray for several machines.", **_LOCAL)]
GpuMemory = Annotated[
    float | None, option("gpu-memory-utilization", "Share of GPU memory to use.", min=0.01, max=1.0, **_LOCAL)
]
EngineArguments = Annotated[
    list[str] | None, option("engine-arg", "A further argument of the engine, as NAME=JSON.", **_LOCAL)
]
VllmServer = Annotated[
    bool,
    option("vllm-server", "Start vLLM's OpenAI server and ask it, instead of an engine in this process.", **_LOCAL),
]

P2Stop = Annotated[
    Literal["feasible", "budget"],
    option("p2-stop", "End P2 at the first feasible design, or when the queries are spent.", **_RULES),
]
P2Queries = Annotated[
    int | None, option("p2-queries", "A P2 budget other than the brief's.", min=1, max=1000, **_RULES)
]
P3History = Annotated[
    Literal["stored", "recomputed"], option("p3-history", "Show P3 histories as stored, or judged anew.", **_RULES)
]
P3State = Annotated[
    Literal["raw", "summary"], option("p3-state", "Show P3 histories as turns, or as a summary of facts.", **_RULES)
]
Feedback = Annotated[
    Literal["full", "coarse"], option("feedback", "Feedback with numbers, or with names of violated limits.", **_RULES)
]
ControlPrompt = Annotated[
    Literal["none", "neutral", "targeted", "wrong-boundary", "summary+targeted"],
    option("control", "A control paragraph of the paper's appendix Q.", **_RULES),
]
ReplayReasoning = Annotated[
    Literal["none", "last", "all"],
    option("replay-reasoning", "Show a model its own reasoning of earlier turns.", **_RULES),
]

Prices = Annotated[Path | None, option("prices", "A dated price table (YAML).", **_MONEY)]
MaxCost = Annotated[float | None, option("max-cost", "Stop at this cost; needs --prices.", min=0.0, **_MONEY)]
MaxTokensTotal = Annotated[int | None, option("max-tokens-total", "Stop at so many tokens.", min=1, **_MONEY)]
DryRun = Annotated[bool, option("dry-run", "Count calls and tokens, estimate the cost, and call nothing.", **_MONEY)]


def named_values(given: list[str] | None, flag: str) -> dict[str, Any]:
    """`NAME=JSON` pairs; a value that is no JSON is taken as text. Raises UserError for a pair without a name."""
    found: dict[str, Any] = {}
    for pair in given or []:
        name, equals, text = pair.partition("=")
        if not (equals and name.strip()):
            raise UserError(f"{flag} takes NAME=VALUE, got {pair[:60]!r}.")
        try:
            found[name.strip()] = json.loads(text, parse_constant=_no_number)
        except ValueError:
            found[name.strip()] = text
    return found


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
