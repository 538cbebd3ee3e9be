"""The one error of reading a reply, and how a piece of a reply is quoted in it."""

SHOWN = 60
"""Longest quotation from a reply, in characters, inside an error or a repair."""


class UnreadableReply(ValueError):
    """A reply that is no valid answer; `reason` is one short sentence that may be shown to the model."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def quoted(value: object) -> str:
    """A value of a reply in at most `SHOWN` characters, control characters and lone surrogates escaped."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    shown = repr(value[: SHOWN + 1]) if isinstance(value, str) else repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."


_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def number_word(count: int) -> str:
    """A small number in letters, a larger one in digits."""
    return _WORDS[count] if count < len(_WORDS) else str(count)


def listed(names: list[str], most: int = 6) -> str:
    """A few names in one short phrase."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return (
        ", ".join(name if name.isprintable() and len(name) <= SHOWN else quoted(name) for name in names[:most]) + more
    )
