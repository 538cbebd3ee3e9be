"""Which weights a name stands for: a folder, or a commit of a repository in the local cache of the model hub."""

import hashlib
from pathlib import Path
from typing import Any

from vehbench_hf.errors import UserError

_SUFFIXES = {".safetensors", ".bin", ".gguf", ".pt"}


def is_folder(name: str) -> bool:
    """Whether a model's name is a path: it begins with `/`, `./`, `../` or `~`."""
    return name.startswith(("/", "./", "../", "~"))


def resolved(name: str) -> str:
    """The name as an engine takes it, a path made absolute. Raises UserError for a path without a model."""
    if not is_folder(name):
        return name
    folder = Path(name).expanduser().resolve()
    if not (folder / "config.json").is_file():
        raise UserError(
            f"{folder} holds no model: config.json is missing. Expected a folder that save_pretrained wrote."
        )
    return str(folder)


def describe_weights(name: str, revision: str | None) -> dict[str, Any]:
    """Where the weights are and which they are, without reading gigabytes.

    `commit` is that of the cached copy; None for a folder, or while nothing is cached. `fingerprint` covers, for a
    folder, its config.json and the names and sizes of the weight files.
    """
    if is_folder(name):
        return {"path": name, "revision": None, "commit": None, "fingerprint": _fingerprint(Path(name))}
    from huggingface_hub import try_to_load_from_cache

    cached = try_to_load_from_cache(name, "config.json", revision=revision)
    commit = Path(cached).parent.name if isinstance(cached, str) else None
    return {"path": name, "revision": revision, "commit": commit, "fingerprint": None}


def _fingerprint(folder: Path) -> str:
    files = sorted(file for file in folder.iterdir() if file.suffix in _SUFFIXES)
    sizes = "".join(f"{file.name} {file.stat().st_size}\n" for file in files)
    return hashlib.sha256((folder / "config.json").read_bytes() + sizes.encode()).hexdigest()[:16]
