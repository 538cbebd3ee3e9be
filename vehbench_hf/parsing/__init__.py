"""Reading model replies: from free text to an action, a design or a ranking, or to a reason why not.

Start with `answers.read_answer`. Nothing here judges an answer; that is the oracle's part.
"""

from vehbench_hf.parsing.actions import ACTIONS
from vehbench_hf.parsing.answers import SEVERAL, Answer, read_answer
from vehbench_hf.parsing.isomorphic_answers import read_isomorphic_answer
from vehbench_hf.parsing.reasoning import split_reasoning
from vehbench_hf.parsing.unreadable import UnreadableReply

__all__ = [
    "ACTIONS",
    "SEVERAL",
    "Answer",
    "UnreadableReply",
    "read_answer",
    "read_isomorphic_answer",
    "split_reasoning",
]
