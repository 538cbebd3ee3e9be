"""Loading a model through transformers, and the settings that its `generate` gets."""

from typing import Any

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling, Weights
from vehbench_runners.backend import RunStopped
from vehbench_runners.local.chat_template import extra_fields

_LOADING = {"attn_implementation", "device_map", "max_memory", "offload_folder", "local_files_only", "cache_dir"}
_TOKENIZING = {"tokenizer", "tokenizer_revision", "chat_template"}


def check_options(sampling: Sampling, weights: Weights, engine: dict[str, Any]) -> None:
    """Raise UserError for an option or an engine argument that transformers alone does not have."""
    lacking = {
        "--structured": sampling.structured,
        "--reasoning-tokens": sampling.reasoning_tokens is not None,
        "--quantization": weights.quantization is not None,
    }
    asked = [option for option, given in lacking.items() if given]
    if asked:
        raise UserError(f"hf/ has no {', '.join(asked)} (weights load as they are stored); vllm/ has.")
    unknown = sorted(engine.keys() - _LOADING - _TOKENIZING)
    if unknown:
        known = ", ".join(sorted(_LOADING | _TOKENIZING))
        raise UserError(f"unknown engine argument {', '.join(unknown)}; hf/ takes {known}.")


def load_model(name: str, weights: Weights, engine: dict[str, Any]) -> Any:
    """The model, on the accelerators there are. Raises UserError without torch, RunStopped when it does not load."""
    try:
        import torch
        from transformers import AutoModelForCausalLM
    except ImportError as error:
        raise UserError(f"hf/ needs torch and transformers ({error}): pip install 'vehbench-hf[hf]'.") from None
    given = {key: value for key, value in engine.items() if key in _LOADING}
    if torch.cuda.is_available():
        given.setdefault("device_map", "auto")
    try:
        model = AutoModelForCausalLM.from_pretrained(
            name, revision=weights.revision, dtype=weights.dtype or "auto", **given
        )
    except Exception as error:
        raise RunStopped(f"transformers cannot load {name}: {type(error).__name__}: {error}") from error
    model.eval()
    settings = model.generation_config
    if settings.pad_token_id is None:  # padding is masked out, so any token serves
        settings.pad_token_id = min(end_tokens(settings), default=0)
    return model


def as_loaded(model: Any, context: int | None) -> dict[str, Any]:
    """How the model was really loaded: the parts that replies or speed depend on."""
    import torch
    import transformers

    stored = getattr(model.config, "quantization_config", None)
    return {
        "version": transformers.__version__,
        "torch": torch.__version__,
        "device": str(model.device),
        "dtype": str(model.dtype).removeprefix("torch."),
        "quantization": None if stored is None else str(getattr(stored, "quant_method", stored)),
        "max_model_len": context,
        "default_sampling": _stored_defaults(model.generation_config),
    }


def context_of(config: Any, weights: Weights) -> int | None:
    """How many tokens prompt and reply may have together; None where neither the user nor the model says."""
    text = config.get_text_config()
    return weights.max_model_len or getattr(text, "max_position_embeddings", None)


def generate_settings(sampling: Sampling, stored: Any) -> dict[str, Any]:
    """Arguments of `generate`: what was asked for; the rest is as stored with the model.

    transformers would keep to the 50 likeliest tokens where nothing is stored; 0 switches that off, as in vLLM.
    """
    from transformers import GenerationConfig

    extra = extra_fields(sampling, set(GenerationConfig().to_dict()) - {"max_new_tokens", "max_length"}, "transformers")
    if sampling.temperature == 0:
        return {"do_sample": False, "temperature": None, "top_p": None, "top_k": None, **extra}
    asked = {"temperature": sampling.temperature, "top_p": sampling.top_p}
    settings: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    if settings:
        settings["do_sample"] = True
    if stored.top_k is None and (settings or stored.do_sample):
        settings["top_k"] = 0
    return {**settings, **extra}


def _stored_defaults(stored: Any) -> dict[str, Any]:
    names = ("do_sample", "temperature", "top_p", "top_k", "repetition_penalty")
    return {name: getattr(stored, name) for name in names if getattr(stored, name, None) is not None}


def end_tokens(stored: Any) -> set[int]:
    """The tokens that end a reply, by the model's stored settings."""
    ends = stored.eos_token_id
    return set() if ends is None else {ends} if isinstance(ends, int) else set(ends)
