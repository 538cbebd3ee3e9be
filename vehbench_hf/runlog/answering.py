"""Who answered a run: a server or weights, as its sessions described them."""

from collections.abc import Mapping, Sequence
from typing import Any

from vehbench_hf.runlog.run_json import RunJson
from vehbench_hf.safe_files import printable
from vehbench_hf.types import Turn

ANSWERING = ("base_url", "engine", "context", "weights", "dtype", "quantization", "max_model_len")
"""What of a backend's description tells who answers: the server with what it says of itself, or the weights."""


def answering(backend: Mapping[str, Any]) -> str:
    """Who answers, in words: equal for sessions that asked the same server or the same weights."""
    weights = backend.get("weights")
    if isinstance(weights, dict):  # a folder may be moved
        same = next((weights[name] for name in ("fingerprint", "commit", "path") if weights.get(name)), None)
        backend = {**backend, "weights": same}
    parts = [f"{name} {backend[name]}" for name in ANSWERING if backend.get(name) is not None]
    return ", ".join([str(backend.get("kind", "a backend")), *parts])


def several_models(info: RunJson, turns: Sequence[Turn]) -> list[str]:
    """What says that more than one model may have answered, a sentence each."""
    servers = list(dict.fromkeys(answering(backend) for backend in info.get("backends") or ()))
    models = list(dict.fromkeys(turn.reply.served_model for turn in turns if turn.reply.served_model))
    lines = [f"the replies are of {len(servers)} backends: {'; '.join(servers)}"] if len(servers) > 1 else []
    if len(models) > 1:
        lines.append(f"the servers name {len(models)} models: {', '.join(models[:6])}")
    return [printable(line) for line in lines]
