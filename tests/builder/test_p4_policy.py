"""The order of a pool is what its policy text says, with ties and pairs as it says."""

import re
from itertools import combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from vehbench_builder.veh.p4.policy import WEIGHTS, order_of, policy_text
from vehbench_hf.types import Candidate, Pair
from vehbench_oracle import LIMITS

LIMIT = dict(zip(LIMITS, (40.0, 2.0, 3.0, 10.0), strict=True))
PROFILES = st.sampled_from(sorted(WEIGHTS))


def candidate(name: str, power: float, stress: float, disp: float, freq_error: float = 1.0) -> Candidate:
    values = dict(zip(LIMITS, (stress, disp, freq_error, power), strict=True))
    slack = {n: (LIMIT[n] - v) if LIMITS[n].upper else (v - LIMIT[n]) for n, v in values.items()}
    return {"id": name, "design": {}, "metrics": {LIMITS[n].metric: v for n, v in values.items()}, "slack": slack}


POOLS = st.lists(
    # Few different values, so that ties are common.
    st.tuples(st.sampled_from([10.0, 20.0, 30.0]), st.sampled_from([10.0, 20.0, 30.0]), st.sampled_from([0.5, 1.0])),
    min_size=5,
    max_size=5,
).map(lambda rows: [candidate(name, *row) for name, row in zip("ABCDE", rows, strict=True)])


def utility(c: Candidate, pool: list[Candidate], profile: str) -> float:
    w, v = map(float, re.findall(r"(0\.\d+) [PS]\b", policy_text(profile)))
    largest = max(one["metrics"]["load_power_uw"] for one in pool)
    return w * c["metrics"]["load_power_uw"] / largest + v * margin(c)


def margin(c: Candidate) -> float:
    return min(1 - c["metrics"]["tip_stress_mpa"] / 40.0, 1 - c["metrics"]["tip_disp_mm"] / 2.0)


@given(POOLS, PROFILES)
def test_the_order_is_what_the_text_says(pool: list[Candidate], profile: str) -> None:
    found = order_of(pool, LIMIT, profile)
    by_id = {c["id"]: c for c in pool}
    assert sorted(found.ranking) == list("ABCDE")
    for above, below in zip(found.ranking, found.ranking[1:], strict=False):
        a, b = by_id[above], by_id[below]
        gain = utility(a, pool, profile) - utility(b, pool, profile)
        assert gain > -1e-12
        assert abs(found.utility[above] - utility(a, pool, profile)) < 1e-12
        if abs(a["metrics"]["load_power_uw"] - b["metrics"]["load_power_uw"]) < 1e-12 and margin(a) == margin(b):
            assert above < below


@given(POOLS, PROFILES)
def test_no_pair_is_invented_or_forgotten(pool: list[Candidate], profile: str) -> None:
    found = order_of(pool, LIMIT, profile)
    by_id = {c["id"]: c for c in pool}
    dominated = [
        Pair(better=a, worse=b)
        for a, b in permutations(found.ranking, 2)
        if by_id[a]["slack"] != by_id[b]["slack"]
        and all(by_id[a]["slack"][name] >= by_id[b]["slack"][name] for name in LIMITS)
    ]
    sensitive = [
        Pair(better=a, worse=b)
        for a, b in combinations(found.ranking, 2)
        if by_id[a]["metrics"]["load_power_uw"] < by_id[b]["metrics"]["load_power_uw"]
    ]
    assert found.dominated == dominated
    assert found.sensitive == sensitive


def test_equal_utilities_are_ordered_by_id() -> None:
    equal = [candidate(name, 20.0, 20.0, 1.0) for name in "ECADB"]
    assert order_of(equal, LIMIT, "balanced").ranking == list("ABCDE")


def test_frequency_error_does_not_change_the_order() -> None:
    pool = [candidate(name, 20.0 + i, 20.0, 1.0) for i, name in enumerate("ABCDE")]
    worse = [candidate(name, 20.0 + i, 20.0, 1.0, freq_error=2.9) for i, name in enumerate("ABCDE")]
    assert order_of([*pool[:4], worse[4]], LIMIT, "balanced").ranking == list("EDCBA")


def test_weights_add_up() -> None:
    assert all(w.power + w.margin == 1 for w in WEIGHTS.values())
    assert all(f"{w.power:g} P / P_max + {w.margin:g} S" in policy_text(name) for name, w in WEIGHTS.items())
