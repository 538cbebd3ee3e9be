"""The `evaluate` module behind the four Spaces. Imported by them only: it needs `evaluate` and `datasets`.

Predictions and references travel through the library as JSON texts. Its own Arrow conversion knows one shape a column,
which rows of nested data and predictions of several kinds are not, and its messages name neither row nor field.
"""

import json
from typing import Any, cast

import datasets
import evaluate
import numpy as np

from vehbench_hf.errors import MetricInputError
from vehbench_hf.metrics.compute import compute, listed
from vehbench_hf.metrics.texts import DESCRIPTIONS, INPUTS
from vehbench_hf.paths import shipped
from vehbench_hf.probes import probe_of_metric


class ProbeMetric(evaluate.Metric):  # type: ignore[misc]
    """The metric of one probe; a subclass sets `METRIC`. Options of `compute` are those of `compute.compute`."""

    METRIC: str

    def _info(self) -> evaluate.MetricInfo:
        probe_of_metric(self.METRIC)
        text = datasets.Value("string")
        return evaluate.MetricInfo(
            description=DESCRIPTIONS[self.METRIC],
            citation=json.loads(shipped("cards/metadata.json").read_text(encoding="utf-8"))["citation"],
            inputs_description=INPUTS,
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> dict[str, Any] | None:
        """Score all that was added, or `predictions` against `references`. Raises MetricInputError."""
        if (predictions is None) != (references is None):
            missing = "references" if references is None else "predictions"
            raise MetricInputError(f"{missing} are missing: expected predictions and references, one for one.")
        if predictions is None and self.writer is None:
            raise MetricInputError("nothing to score: pass predictions and references, or add them first.")
        return cast("dict[str, Any] | None", super().compute(predictions=predictions, references=references, **options))

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Add predictions with their references, one for one. Raises MetricInputError."""
        predictions, references = _texts(predictions, "predictions"), _texts(references, "references")
        if len(predictions) != len(references):
            raise MetricInputError(
                f"{len(predictions)} predictions and {len(references)} references; expected one prediction a reference."
            )
        super().add_batch(predictions=predictions, references=references, **others)

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Add one prediction with its reference. Raises MetricInputError."""
        given, expected = _texts([prediction], "predictions"), _texts([reference], "references")
        super().add(prediction=given[0], reference=expected[0], **others)

    def _compute(self, *, predictions: list[str], references: list[str], **options: Any) -> dict[str, Any]:
        return compute(
            self.METRIC, [json.loads(p) for p in predictions], [json.loads(r) for r in references], **options
        )


def _texts(values: Any, name: str) -> list[str]:
    """One JSON text a value. Raises MetricInputError for what is no list, and for what JSON cannot hold."""
    texts = []
    for row, value in enumerate(listed(values, name)):
        try:
            texts.append(json.dumps(value, default=_plain))
        except (TypeError, ValueError, RecursionError) as error:
            raise MetricInputError(f"row {row} of {name}: cannot be written as JSON ({error}).") from None
    return texts


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"got {type(value).__name__}")
