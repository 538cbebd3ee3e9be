"""How long to wait before a failed call is made again."""

import math
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_WAIT_S = 0.5
LONGEST_BACKOFF_S = 60.0


def backoff(failures: int) -> float:
    """Seconds to wait after so many failures (from 1): doubled each time up to a minute, half of it random."""
    longest = min(LONGEST_BACKOFF_S, FIRST_WAIT_S * 2.0 ** min(failures - 1, 30))
    return longest * random.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a server asks to wait, from 0; None when it does not say, or says something that is no time.

    `headers` are looked up in lower case. Reads `retry-after-ms` in milliseconds, and `retry-after` in seconds or as an
    HTTP date.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None or text is None:
        return seconds
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
