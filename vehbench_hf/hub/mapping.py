"""Which names one probe has on the Hub. Everything that is published takes them from here.

A config of the dataset holds the splits as they are; the config of the task id holds one split, `test`, with the rows
that the headline is taken over, since a benchmark on the Hub names one split a task.
"""

from dataclasses import dataclass

from vehbench_hf.types import Probe

DATASET = "vehbench"
RESULTS = "vehbench-results"
"""Names of the two dataset repositories below an organisation."""
PUBLISHED_BANK = "veh-v2"
"""The version of the bank in the dataset, and of every submitted run."""
TEST_SPLIT = "test"
FRAMEWORK = "vehbench"
"""The id of this harness in the Hub's list of evaluation frameworks."""
PERCENT = 100.0
"""Published values are the headline times this. Higher is better in all of them."""


@dataclass(frozen=True)
class HubTask:
    """The names of one probe: its config, its task id (and headline config), its metric Space, its headline.

    `least` and `most` are the ends of the published scale; P2 has no upper end but the certified bound of each task.
    """

    config: Probe
    task_id: str
    metric: str
    headline: str
    least: float
    most: float | None


HUB_TASKS = (
    HubTask("p1", "p1_triage", "p1_composite", "p1_composite", 0.0, 100.0),
    HubTask("p2", "p2_search", "p2_ratio", "p2_ratio", 0.0, None),
    HubTask("p3", "p3_recovery", "p3_success", "p3_success", 0.0, 100.0),
    HubTask("p4", "p4_ranking", "p4_tau", "p4_tau", -100.0, 100.0),
)


def task_of_config(config: str) -> HubTask:
    """The names of a probe. Raises KeyError for none of them."""
    return {task.config: task for task in HUB_TASKS}[config]  # type: ignore[index]


def task_of_metric(metric: str) -> HubTask:
    """The names of the probe that a metric scores. Raises KeyError for no metric of ours."""
    return {task.metric: task for task in HUB_TASKS}[metric]
