"""Which model to use at which stage: chosen on dev, judged on the held-out splits."""

from vehbench_hf.routing.selection import (
    AUXILIARY,
    Choice,
    Routing,
    StageScore,
    Strategy,
    choose,
    held_out,
    mean_norm,
    simulate,
)

__all__ = [
    "AUXILIARY",
    "Choice",
    "Routing",
    "StageScore",
    "Strategy",
    "choose",
    "held_out",
    "mean_norm",
    "simulate",
]
