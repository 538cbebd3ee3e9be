"""The `evaluate` modules behind the four Spaces. It needs `evaluate` and `datasets`.

Predictions and references travel through the library as JSON texts. Its own Arrow conversion knows one shape a column,
which rows of nested data and predictions of several kinds are not, and its messages name neither row nor field.
"""

import json
from typing import Any, cast

import datasets
import evaluate

from vehbench_hf.errors import MetricInputError
from vehbench_hf.metrics.compute import compute, json_values
from vehbench_hf.metrics.page import read_page
from vehbench_hf.paths import shipped


class ProbeMetric(evaluate.Metric):  # type: ignore[misc]
    """The metric of one probe; a subclass sets `METRIC`. Options of `compute` are those of `compute.compute`."""

    METRIC: str

    def _info(self) -> evaluate.MetricInfo:
        page, text = read_page(self.METRIC), datasets.Value("string")
        return evaluate.MetricInfo(
            description=page.description,
            citation=json.loads(shipped("cards/metadata.json").read_text(encoding="utf-8"))["citation"],
            inputs_description=page.usage,
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _build_data_dir(self) -> str:
        # What is kept in memory needs no folder; the library makes one all the same.
        return "" if self.keep_in_memory else cast("str", super()._build_data_dir())

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
        """Add one prediction with its reference, under the names of one or of many. Raises MetricInputError."""
        given = {"prediction": prediction, "reference": reference}
        for name in given:
            # `evaluate.combine` passes the names of the columns.
            plural = others.pop(f"{name}s", None)
            if (given[name] is None) == (plural is None):
                got = "nothing" if plural is None else f"one as {name} and one as {name}s"
                raise MetricInputError(f"{name}: expected one to add, got {got}.")
            given[name] = _texts([plural if given[name] is None else given[name]], f"{name}s")[0]
        super().add(**given, **others)

    def _compute(self, *, predictions: list[str], references: list[str], **options: Any) -> dict[str, Any]:
        return compute(
            self.METRIC, [json.loads(p) for p in predictions], [json.loads(r) for r in references], **options
        )


class P1Composite(ProbeMetric):
    """P1, credible triage."""

    METRIC = "p1_composite"


class P2Ratio(ProbeMetric):
    """P2, search with a verifier."""

    METRIC = "p2_ratio"


class P3Success(ProbeMetric):
    """P3, recovery from a corrupted history."""

    METRIC = "p3_success"


class P4Tau(ProbeMetric):
    """P4, ranking under a declared policy."""

    METRIC = "p4_tau"


MODULES = {kind.METRIC: kind for kind in (P1Composite, P2Ratio, P3Success, P4Tau)}


def _texts(values: Any, name: str) -> list[str]:
    """One JSON text a value. Raises MetricInputError for what is no list, and for what JSON cannot hold."""
    return [json.dumps(value) for value in json_values(values, name)]
