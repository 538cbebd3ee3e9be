"""What a model reads as one text, and the words of the gold that must not be in it."""

import json

from vehbench_hf.types import Message, Task


def transcript(messages: list[Message]) -> str:
    """The messages one after another, each below its role."""
    return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages) + "\n"


def gold_words(task: Task) -> set[str]:
    """Texts and numbers that only the gold part and the row's metadata hold, and that a prompt must not."""
    words: set[str] = {task.task_id, task.subtype}
    if task.anchor:
        words |= {str(word) for word in (task.anchor["doi"], task.anchor["doi_released"], task.anchor["title"]) if word}
    gold = task.gold
    if gold["pool_id"]:
        words.add(gold["pool_id"])
    if gold["pool_family"]:
        words.add(gold["pool_family"])
    for design in (gold["witness"], gold["anchor_design"], (gold["reference"] or {}).get("design")):
        if design:
            words |= {json.dumps(value) for value in design.values() if len(json.dumps(value)) > 5}
    for power in (gold["reference"] or {}).values():
        if isinstance(power, float) and power:
            words.add(json.dumps(power))
    words |= {json.dumps(u["value"]) for u in gold["utilities"] if u["value"]}
    if gold["certificate"]:
        words.add(gold["certificate"])
    return words - public_words(task)


def public_words(task: Task) -> set[str]:
    """Numbers that the brief states anyway (an anchor's load that is also a bound, say), and the profile."""
    text = json.dumps(task.spec)
    allowed = {task.spec["profile"]} if task.spec["profile"] else set()
    return allowed | {
        word for word in text.replace(",", " ").replace("}", " ").replace("]", " ").split() if word[:1].isdigit()
    }
