"""The messages of an isomorphic probe: one template for the three forms, the question comes with the row."""

from typing import Any

from vehbench_hf.domains import DEFAULT_DOMAIN, domain_of
from vehbench_hf.isomorphic.types import IsomorphicSpec
from vehbench_hf.prompts.render import laid_out, stated
from vehbench_hf.prompts.templates import rendered_pair
from vehbench_hf.types import Message
from vehbench_oracle.domain import Problem


def isomorphic_opening(spec: IsomorphicSpec, domain: str = DEFAULT_DOMAIN) -> list[Message]:
    """System and user message. Controls do not apply: the three forms are compared with each other."""
    problem = domain_of(domain).problem(spec)
    system, user = rendered_pair(
        "isomorphic.md.j2",
        domain_of(domain),
        variables=problem.variables,
        metrics=problem.metrics,
        limits=problem.limits,
        question=spec["question"],
        brief=laid_out({**stated(spec, problem), **_added(spec, problem)}),
    )
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


def _added(spec: IsomorphicSpec, problem: Problem) -> dict[str, Any]:
    """What the form adds to the brief; exactly one of the three fields is filled."""
    if spec["candidates"]:
        return {"candidates": list(spec["candidates"])}
    if spec["initial_design"] is not None:
        return {"start_design": spec["initial_design"]}
    fixed = spec["fixed"] or {}
    return {
        "fixed": {name: fixed[name] for name in problem.variables if fixed.get(name) is not None},
        "open": [name for name in problem.variables if fixed.get(name) is None],
    }
