"""`vllm/ORG/MODEL` and `vllm//path`: vLLM's asynchronous engine in this process.

Every episode waits for its own call only, so that the engine always has as many sequences as there are episodes left.
The engine cannot tell channels of reasoning apart that have no tags around them (gpt-oss, Mistral's); for these start
vLLM's server with its reasoning parser.
"""

import asyncio
import itertools
import os
import signal
import time
from dataclasses import fields
from types import TracebackType
from typing import Any, Self

from vehbench_hf.errors import UserError
from vehbench_hf.isomorphic.types import AnyTask
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Message, Reply, Usage
from vehbench_runners.backend import Position, RunStopped, Speaker
from vehbench_runners.local.chat_template import Chat, extra_fields, load_chat, made_reply, overflow
from vehbench_runners.local.kill_on_exit import Guard, processes_below
from vehbench_runners.local.weights_on_disk import describe_weights, resolved
from vehbench_runners.options import BackendOptions

DEFAULT_SEQUENCES = 256
"""Episodes at once until the started engine says how many sequences it takes."""

PARALLEL_SIZES = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")


class VllmBackend:
    """vLLM in this process, with prefix caching, so that the turns of an episode do not read its brief again."""

    is_language_model = True

    def __init__(self, name: str, sampling: Sampling, weights: Weights, options: BackendOptions) -> None:
        self._name, self._sampling, self._weights, self._options = resolved(name), sampling, weights, options
        self._chat = load_chat(self._name, sampling, weights, options.engine)
        self._arguments = engine_arguments(self._name, weights, options.engine)
        self._engine: Any = None
        self._guard: Guard | None = None
        self._became: dict[str, Any] = {}
        self._numbers = itertools.count()
        ranks = int(self._arguments.get("data_parallel_size", 1))
        sequences = int(self._arguments.get("max_num_seqs") or DEFAULT_SEQUENCES)
        self.concurrency = options.concurrency or sequences * ranks

    async def __aenter__(self) -> Self:
        check_structured(self._sampling, self._chat, self._options.engine)
        self._chat.template  # noqa: B018  # a model without a template is refused before gigabytes are loaded
        _require_vllm()
        _parameters(self._sampling, {}, room=1, epoch=0)  # so that a wrong parameter costs no loading either
        self._engine = _started(self._arguments)
        try:
            self._guard = Guard(signal.SIGKILL, processes_below())  # they would keep the memory of the GPU
            config = self._engine.vllm_config
            self._context = int(config.model_config.max_model_len)
            self._defaults = dict(config.model_config.get_diff_sampling_param())
            self._became = _what_became(config, self._defaults)
            sequences = config.scheduler_config.max_num_seqs * config.parallel_config.data_parallel_size
            self.concurrency = self._options.concurrency or int(sequences)
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.shutdown()
        if self._guard is not None:
            self._guard.release()
            self._guard = None

    def speaker_for(self, task: AnyTask) -> Speaker:
        """Who answers the calls of one episode; of the task it knows the form of its answers."""

        async def speak(messages: list[Message], position: Position) -> Reply:
            return await self._ask(messages, position[0], task)

        return speak

    async def _ask(self, messages: list[Message], epoch: int, task: AnyTask) -> Reply:
        prompt = self._chat.text(messages)
        ids = self._chat.token_ids(prompt)
        room = self._context - len(ids)
        if room < 1:
            return overflow(len(ids), self._context)
        parameters = _parameters(self._sampling, self._defaults, room=room, epoch=epoch)
        if self._sampling.structured:
            parameters.structured_outputs = _structured(task)
        request_id = f"vehbench-{next(self._numbers)}"
        begun = time.monotonic()
        try:
            async with asyncio.timeout(self._options.timeout_s):
                output = await self._generated(ids, parameters, request_id)
        except TimeoutError:
            return Reply(
                None, finish_reason=None, error=f"no reply within {self._options.timeout_s:g} s; raise --timeout"
            )
        except Exception as error:
            return self._failed(error)
        [written] = output.outputs
        if written.finish_reason not in ("stop", "length"):
            return Reply(None, finish_reason=None, error=f"vLLM ended the call with {written.finish_reason!r}")
        return made_reply(
            self._chat,
            prompt,
            written.text,
            finish_reason=written.finish_reason,
            usage=Usage(len(ids), output.num_cached_tokens, len(written.token_ids)),
            latency_s=time.monotonic() - begun,
            request_id=request_id,
        )

    async def _generated(self, ids: list[int], parameters: Any, request_id: str) -> Any:
        prompt = {"type": "token", "prompt_token_ids": ids}
        [output] = [output async for output in self._engine.generate(prompt, parameters, request_id)]
        return output

    def _failed(self, error: Exception) -> Reply:
        """A failed call; the run is stopped where another would fail as well: a dead engine, refused parameters."""
        from vllm.v1.engine.exceptions import EngineGenerateError

        if self._engine.errored:
            raise RunStopped(
                f"vLLM's engine died ({error}). Its own message stands above. Often memory ran out: lower "
                "gpu_memory_utilization, max_model_len or max_num_seqs. What was done is kept; the same command goes "
                "on."
            ) from error
        if isinstance(error, EngineGenerateError):
            return Reply(None, finish_reason=None, error=f"vLLM: {error.__cause__ or error}")
        raise RunStopped(f"vLLM refuses these calls: {error}") from error

    def description(self) -> dict[str, Any]:
        """Engine, weights and template. Once the engine has started, what it made of its arguments as well."""
        described: dict[str, Any] = {
            "kind": "vllm",
            "weights": describe_weights(self._name, self._weights.revision),
            "chat_template": self._chat.template_hash,
            "engine_arguments": {name: value for name, value in self._arguments.items() if name != "hf_token"},
        }
        return {**described, **self._became}

    def request_text(self, task: AnyTask, messages: list[Message]) -> str:
        """The exact text of the tokens that the model reads."""
        return self._chat.text(messages)

    def prompt_tokens(self, messages: list[Message]) -> int | None:
        """Length of a prompt in tokens; needs the tokenizer only."""
        return len(self._chat.tokens(messages))


def vllm_backend(name: str, sampling: Sampling, weights: Weights, options: BackendOptions) -> VllmBackend:
    """The backend of `vllm/<name>`. Raises UserError for a folder without a model, or an argument given twice."""
    return VllmBackend(name, sampling, weights, options)


def engine_arguments(name: str, weights: Weights, engine: dict[str, Any]) -> dict[str, Any]:
    """Arguments of vLLM's engine from ours; `engine` holds further ones by vLLM's names.

    Raises UserError for an argument that is given in two ways, or that would run code that comes with the weights.
    """
    chosen = {field.name: getattr(weights, field.name) for field in fields(weights)}
    ours = {"model": name, **{key: value for key, value in chosen.items() if value is not None}}
    further = {key: value for key, value in engine.items() if key != "chat_template"}
    twice = sorted(({"model"} | set(chosen)) & further.keys())
    if twice:
        raise UserError(f"engine argument {', '.join(twice)}: has an option of its own, for scores depend on it.")
    if any(key.endswith("remote_code") for key in further):
        raise UserError("code that comes with weights is never run; use a model that vLLM knows by itself.")
    return {"enable_prefix_caching": True, **ours, **further}


def check_structured(sampling: Sampling, chat: Chat, engine: dict[str, Any]) -> None:
    """Refuse a schema on replies that begin with reasoning, unless the engine knows where the reasoning ends."""
    if sampling.structured and chat.may_think and not engine.get("reasoning_parser"):
        raise RunStopped(
            f"{chat.name} thinks before it answers, and structured output would forbid that. Give vLLM's "
            "reasoning_parser for it as an engine argument, or --reasoning-effort none, or leave out --structured."
        )


def _require_vllm() -> None:
    """Raise UserError where vLLM is not installed. Says how it is to behave before it is first imported."""
    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")  # standard output belongs to the scores
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    try:
        import vllm.v1.engine.async_llm  # noqa: F401
    except ImportError as error:
        raise UserError(f"vllm/ needs vLLM 0.30 or later ({error}): pip install 'vehbench-hf[vllm]'.") from None


def _started(arguments: dict[str, Any]) -> Any:
    """A running AsyncLLM. Raises UserError for unknown arguments and RunStopped when it does not start."""
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    known = {field.name for field in fields(AsyncEngineArgs)}
    unknown = sorted(arguments.keys() - known)
    if unknown:
        raise UserError(f"unknown engine argument {', '.join(unknown)}; expected fields of vLLM's AsyncEngineArgs.")
    try:
        return AsyncLLM.from_engine_args(AsyncEngineArgs(**arguments))
    except Exception as error:
        raise RunStopped(
            f"vLLM could not start with {arguments}: {error}\nThe engine's own message stands above."
        ) from error


def _what_became(config: Any, defaults: dict[str, Any]) -> dict[str, Any]:
    """What vLLM made of its arguments: the parts of its configuration that replies or speed depend on."""
    import vllm

    return {
        "version": vllm.__version__,
        "dtype": str(config.model_config.dtype).removeprefix("torch."),
        "quantization": config.model_config.quantization,
        "max_model_len": config.model_config.max_model_len,
        **{name: getattr(config.parallel_config, name) for name in PARALLEL_SIZES},
        "default_sampling": defaults,
    }


def _parameters(sampling: Sampling, defaults: dict[str, Any], *, room: int, epoch: int) -> Any:
    """vLLM's SamplingParams: the model's own defaults, then what was asked for; the length is capped by the context."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    extra = extra_fields(sampling, set(SamplingParams.__struct_fields__), "vLLM")
    asked = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "thinking_token_budget": sampling.reasoning_tokens,
        "seed": None if sampling.seed is None else sampling.seed + epoch,
    }
    values = defaults | {name: value for name, value in asked.items() if value is not None} | extra
    values["max_tokens"] = min(room, sampling.max_tokens or room)
    try:
        return SamplingParams(**values, output_kind=RequestOutputKind.FINAL_ONLY)
    except (TypeError, ValueError) as error:
        raise RunStopped(f"vLLM refuses these sampling parameters: {error}") from None


def _structured(task: AnyTask) -> Any:
    from vllm.sampling_params import StructuredOutputsParams

    from vehbench_hf.parsing.reply_schema import schema_of

    return StructuredOutputsParams(json=schema_of(task))
