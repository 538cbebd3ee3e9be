"""One JSON text for one value, so that equal values have equal hashes."""

import json


def canonical_json(value: object) -> str:
    """JSON with sorted keys and no spaces. Raises ValueError for NaN and infinities."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
