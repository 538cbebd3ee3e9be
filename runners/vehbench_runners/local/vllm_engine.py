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
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Message, Reply, Task, Usage
from vehbench_runners.backend import Position, RunStopped, Speaker
from vehbench_runners.local.chat_template import extra_fields, made_reply, overflow
from vehbench_runners.local.kill_on_exit import KillOnExit, processes_below
from vehbench_runners.local.vllm_model import VllmModel, check_structured
from vehbench_runners.options import BackendOptions

PARALLEL_SIZES = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")


class VllmBackend(VllmModel):
    """vLLM in this process, with prefix caching, so that the turns of an episode do not read its brief again."""

    def __init__(self, name: str, sampling: Sampling, weights: Weights, options: BackendOptions) -> None:
        super().__init__(name, sampling, weights, options)
        self._engine: Any = None
        self._kill_on_exit: KillOnExit | None = None
        self._numbers = itertools.count()

    async def __aenter__(self) -> Self:
        check_structured(self._sampling, self._chat, self._options.engine)
        self._chat.template  # noqa: B018  # a model without a template is refused before gigabytes are loaded
        _require_vllm()
        _parameters(self._sampling, {}, room=1, epoch=0)  # so that a wrong parameter costs no loading either
        self._engine = _start_engine(self._arguments)
        try:
            self._kill_on_exit = KillOnExit(signal.SIGKILL, processes_below())  # they would keep the memory of the GPU
            config = self._engine.vllm_config
            self._context = int(config.model_config.max_model_len)
            self._defaults = dict(config.model_config.get_diff_sampling_param())
            self._as_started = _as_started(config, self._defaults)
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
        if self._kill_on_exit is not None:
            self._kill_on_exit.release()
            self._kill_on_exit = None

    def speaker_for(self, task: Task) -> Speaker:
        """Who answers the calls of one episode; of the task it knows the form of its answers."""

        async def speak(messages: list[Message], position: Position) -> Reply:
            return await self._ask(messages, position[0], task)

        return speak

    async def _ask(self, messages: list[Message], epoch: int, task: Task) -> Reply:
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
                output = await self._generate(ids, parameters, request_id)
        except TimeoutError:
            return self._late()
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

    async def _generate(self, ids: list[int], parameters: Any, request_id: str) -> Any:
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
        return self._describe("vllm", self._arguments)


def _require_vllm() -> None:
    """Raise UserError where vLLM is not installed. Says how it is to behave before it is first imported."""
    os.environ.setdefault("VLLM_LOGGING_STREAM", "ext://sys.stderr")  # standard output belongs to the scores
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    try:
        import vllm.v1.engine.async_llm  # noqa: F401
    except ImportError as error:
        raise UserError(f"vllm/ needs vLLM 0.30 or later ({error}): pip install 'vehbench-hf[vllm]'.") from None


def _start_engine(arguments: dict[str, Any]) -> Any:
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


def _as_started(config: Any, defaults: dict[str, Any]) -> dict[str, Any]:
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
    # Some models mark their reasoning with special tokens, which would be dropped.
    values = (
        {"skip_special_tokens": False}
        | defaults
        | {name: value for name, value in asked.items() if value is not None}
        | extra
    )
    values["max_tokens"] = min(room, sampling.max_tokens or room)
    try:
        return SamplingParams(**values, output_kind=RequestOutputKind.FINAL_ONLY)
    except (TypeError, ValueError) as error:
        raise RunStopped(f"vLLM refuses these sampling parameters: {error}") from None


def _structured(task: Task) -> Any:
    from vllm.sampling_params import StructuredOutputsParams

    from vehbench_hf.parsing.reply_schema import schema_of

    return StructuredOutputsParams(json=schema_of(task))
