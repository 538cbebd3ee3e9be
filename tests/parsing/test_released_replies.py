"""Every raw reply in the authors' logs is read, and the reading is what their harness recorded.

The release keeps raw text only for the label-only P1 runs and for P4. None of the 2,539 replies holds more than
one JSON object: whether the first or the last one counts cannot be told from it.
"""

import json
from collections import Counter

from vehbench_hf.parsing import UnreadableReply, read_answer
from vehbench_oracle.veh.quantities import VARIABLES

P1_REPLIES, P4_REPLIES = 1219, 1320


def rows(release_dir, name):
    for file in sorted((release_dir / "results" / "model_outputs").rglob(name)):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield file, json.loads(line)


def action_and_fields(text):
    try:
        answer = read_answer(text, "p1", VARIABLES)
    except UnreadableReply as error:
        return error.reason, []
    return answer.action, list(answer.missing_fields)


def test_p1_replies_give_the_recorded_action_and_fields(release_dir):
    seen, different = 0, Counter()
    for _, row in rows(release_dir, "p1v2_results.jsonl"):
        seen += 1
        action, fields = action_and_fields(row["raw_response"])
        if (action, fields) != (row["predicted_action"], row["predicted_missing_fields"]):
            different[action, row["predicted_action"], len(row["raw_response"])] += 1
    assert seen == P1_REPLIES
    assert different == {
        # Prose that comes to its JSON late. The log keeps 500 characters of a reply, and the object lies beyond them.
        ("the reply holds no JSON object; expected one", "propose_design", 500): 1,
        # The same cut; here the harness itself found no answer. It logs this as an action, here it is an error.
        ("the reply holds no JSON object; expected one", "invalid_output", 500): 2,
    }


def test_p4_replies_give_the_recorded_ranking_without_any_repair(release_dir):
    seen, different = 0, Counter()
    for file, row in rows(release_dir, "p4_traces.jsonl"):
        seen += 1
        try:
            answer = read_answer(row["raw_response"], "p4", VARIABLES, candidate_ids=tuple("ABCDE"))
        except UnreadableReply as error:
            different[file.parent.name, error.reason] += 1
            continue
        recorded = row["parsed_response"]["ranking"]
        if list(answer.ranking) != recorded or answer.repairs:
            different[file.parent.name, answer.repairs] += 1
    assert seen == P4_REPLIES
    assert not different


def test_the_only_repair_in_p1_is_the_name_of_the_key(release_dir):
    repairs = Counter()
    for _, row in rows(release_dir, "p1v2_results.jsonl"):
        if "{" in row["raw_response"]:
            repairs.update(read_answer(row["raw_response"], "p1", VARIABLES).repairs)
    assert repairs == {"action: read from the key 'action_type'": P1_REPLIES - 3}


def test_no_released_reply_holds_two_objects(release_dir):
    texts = [
        row["raw_response"] for name in ("p1v2_results.jsonl", "p4_traces.jsonl") for _, row in rows(release_dir, name)
    ]
    assert Counter(text.count("{") for text in texts) == {1: P1_REPLIES + P4_REPLIES - 3, 0: 3}
