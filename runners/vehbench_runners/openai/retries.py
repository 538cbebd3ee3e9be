"""How long to wait before a failed call is made again."""

import math
import random
import re
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

    `headers` are looked up in lower case. Reads `retry-after-ms` in milliseconds, and `retry-after` in seconds, as a
    duration or as a date.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    return _until(headers.get("retry-after"), now or datetime.now(UTC))


def quota_reset(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds until the quota of a refused call is full again, by the headers of the large providers; None without one.

    `headers` are looked up in lower case. Of several quotas those count that nothing remains of; where none says so,
    the one that is full first. A header holds seconds, a duration ("6m0s"), a time since 1970 in s or ms, or a date.
    """
    resets = []
    for name in _RESETS:
        seconds = _until(headers.get(name), now or datetime.now(UTC))
        if seconds is not None:
            remaining = _number(headers.get(name.replace("reset", "remaining")))
            resets.append((remaining, seconds))
    spent = [seconds for remaining, seconds in resets if remaining == 0]
    return max(spent) if spent else min((seconds for _, seconds in resets), default=None)


_RESETS = (
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "x-ratelimit-reset",
    "ratelimit-reset",
    "x-rate-limit-reset",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-reset",
    "anthropic-ratelimit-input-tokens-reset",
    "anthropic-ratelimit-output-tokens-reset",
)
_DURATION = re.compile(
    r"(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,7}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?"
)
_UNITS_S = (86400.0, 3600.0, 60.0, 1.0, 1e-3)
_EPOCH_S, _EPOCH_MS = 1e9, 1e12
"""Numbers above these are times since 1970, in s and in ms."""


def _until(text: str | None, now: datetime) -> float | None:
    """Seconds from `now`, never less than none, that a header means."""
    number = _number(text)
    if number is not None:
        then = number / 1000 if number >= _EPOCH_MS else number
        return max(0.0, then - now.timestamp()) if number >= _EPOCH_S else number
    text = (text or "").strip()
    duration = _DURATION.fullmatch(text) if text else None
    if duration is not None:
        return sum(float(count) * unit for count, unit in zip(duration.groups(), _UNITS_S, strict=True) if count)
    try:
        then_at = datetime.fromisoformat(text)
    except ValueError:
        try:
            then_at = parsedate_to_datetime(text)
        except ValueError:
            return None
    then_at = then_at if then_at.tzinfo else then_at.replace(tzinfo=UTC)
    return max(0.0, (then_at - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
