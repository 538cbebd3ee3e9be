"""The app of a metric's Space: predictions and rows as JSON in, the result of the metric out."""

import json
from typing import Any

from vehbench_hf.errors import MetricInputError
from vehbench_hf.metrics.compute import compute
from vehbench_hf.metrics.example import example
from vehbench_hf.metrics.page import read_page

MAX_CHARACTERS = 20_000_000
"""Of one input; all rows of a probe are a tenth of that."""


def build_app(metric: str) -> Any:
    """The `gradio.Blocks` of a metric, filled with an example of fresh tasks."""
    import gradio

    page = read_page(metric)
    predictions, references = example(metric)
    with gradio.Blocks(title=metric) as app:
        gradio.Markdown(f"# {metric}\n\n{page.description}\n\n{page.usage}")
        predictions = gradio.Textbox(
            json.dumps(predictions, indent=1),
            label="predictions (a JSON list)",
            lines=8,
            max_lines=16,
            elem_id="predictions",
        )
        references = gradio.Textbox(
            json.dumps(references), label="references (a JSON list of rows)", lines=4, max_lines=8, elem_id="references"
        )
        convention = gradio.Radio(["the bank's", "defined", "released"], value="the bank's", label="convention")
        button = gradio.Button("Compute", elem_id="compute")
        result = gradio.Textbox(label="result", lines=12, max_lines=40, elem_id="result", interactive=False)
        button.click(
            lambda p, r, c: answer(metric, p, r, c), [predictions, references, convention], result, api_name="compute"
        )
    return app


def answer(metric: str, predictions: str, references: str, convention: str) -> str:
    """The result as JSON text, or one line that says what is wrong with the input."""
    try:
        named: Any = convention if convention in ("defined", "released") else None
        return json.dumps(
            compute(metric, _read(predictions, "predictions"), _read(references, "references"), convention=named),
            indent=1,
        )
    except MetricInputError as error:
        return f"error: {error}"


def _read(text: str, name: str) -> list[Any]:
    if len(text) > MAX_CHARACTERS:
        raise MetricInputError(f"{name}: {len(text)} characters; this app takes {MAX_CHARACTERS}. Use the package.")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MetricInputError(f"{name}: no JSON ({error}).") from None
    if not isinstance(value, list):
        raise MetricInputError(f"{name}: expected a JSON list with one entry a row, got {type(value).__name__}.")
    return value
