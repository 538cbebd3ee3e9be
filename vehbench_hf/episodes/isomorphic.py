"""The one step of an isomorphic probe: a choice as it is, a design with the oracle's verdict."""

from vehbench_hf.episodes.judging import judge_for
from vehbench_hf.episodes.rules import Taken
from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.parsing import Answer
from vehbench_hf.types import Step


def take_isomorphic(spec: IsomorphicSpec, answer: Answer) -> Taken:
    """The episode is over after one answer. A selected id stands alone in the step's `ranking`."""
    if answer.design is None:
        return Taken(Step(answer.action, ranking=answer.ranking, repairs=answer.repairs), None)
    verdict = judge_for(spec, answer.design)
    return Taken(Step(answer.action, design=answer.design, verdict=verdict, repairs=answer.repairs), None)
