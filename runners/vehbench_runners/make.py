"""Backends by the first word of a model's name. Each is imported only when it is asked for."""

from dataclasses import asdict

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling, Weights
from vehbench_runners.backend import Backend
from vehbench_runners.options import BackendOptions


def make_backend(
    model: str,
    *,
    sampling: Sampling = Sampling(),
    weights: Weights = Weights(),
    options: BackendOptions = BackendOptions(),
) -> Backend:
    """The backend of a model name, for instance `baseline/anchor`, `openai/NAME` or `vllm/ORG/MODEL`.

    Raises UserError for an unknown name, with the names that exist.
    """
    kind, _, name = model.partition("/")
    if kind in ("baseline", "openai", "inspect"):
        local = [*options.engine, *(name for name, value in asdict(weights).items() if value is not None)]
        if local or options.managed_server:
            named = ", ".join(local) or "a managed server"
            raise UserError(f"{named}: only vllm/ and hf/ models are loaded here and can be told so; got {model!r}.")
    if kind == "baseline":
        from vehbench_runners.baselines.backend import BaselineBackend

        return BaselineBackend(name, seed=sampling.seed or 0)
    if not name:
        raise UserError(f"unknown model {model!r}; expected one of {FORMS}.")
    if kind == "openai":
        from vehbench_runners.openai.api import OpenAIBackend

        return OpenAIBackend(name, sampling, options)
    if kind == "vllm" and options.managed_server:
        from vehbench_runners.local.vllm_server import VllmServerBackend

        return VllmServerBackend(name, sampling, weights, options)
    if kind == "vllm":
        from vehbench_runners.local.vllm_engine import VllmBackend

        return VllmBackend(name, sampling, weights, options)
    if kind == "hf":
        from vehbench_runners.local.transformers_model import TransformersBackend

        return TransformersBackend(name, sampling, weights, options)
    if kind == "inspect":
        from vehbench_runners.inspect_models import InspectBackend

        return InspectBackend(name, sampling, options)
    raise UserError(f"unknown model {model!r}; expected one of {FORMS}.")


FORMS = "baseline/anchor, openai/NAME, vllm/ORG/MODEL, vllm//path, hf/ORG/MODEL, hf//path, inspect/PROVIDER/NAME"
