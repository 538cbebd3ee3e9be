"""Counting tokens and money over a run, the calls of earlier sessions included, and the ceilings on both."""

from dataclasses import dataclass

from vehbench_hf.types import Reply
from vehbench_hf.user_files.prices import Price
from vehbench_runners.backend import RunStopped

CALLS_AT_FIRST = 4
"""Under a ceiling, so many calls may be in flight while none has said what it used."""


@dataclass
class Budget:
    """What a run has used so far. `calls` counts model calls, tokens are those that the backend reported: `unknown`
    counts the replies that did not say what they used, beside which the sums are lower bounds.

    `max_tokens` bounds input plus output tokens, `max_cost` the cost in the currency of `price`. Calls in flight are
    taken to use as much as the mean call so far, so that a ceiling is exceeded by no more than they differ from it.
    `counted` is the number of calls that reported their tokens, `in_flight` is kept by whoever makes the calls.
    """

    price: Price | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    calls: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    cost: float = 0.0
    counted: int = 0
    unknown: int = 0
    in_flight: int = 0

    def add(self, reply: Reply) -> None:
        """Count one call. One without any text, such as a prompt that a filter refused, may be without tokens."""
        usage = reply.usage
        self.calls += 1
        self.counted += usage.input is not None or usage.output is not None
        self.unknown += reply.text is not None and (usage.input is None or usage.output is None)
        self.input += usage.input or 0
        self.cached += usage.cached or 0
        self.output += usage.output or 0
        self.reasoning += usage.reasoning or 0
        self.cost += self.price.cost(usage) if self.price else 0.0

    def has_room(self) -> bool:
        """Whether one more call may begin beside those in flight; one alone always may, as `check` lets it."""
        if self.in_flight == 0 or (self.max_tokens is None and self.max_cost is None):
            return True
        if self.counted == 0:
            return self.in_flight < CALLS_AT_FIRST
        share = 1 + (self.in_flight + 1) / self.counted
        tokens, cost = share * (self.input + self.output), share * self.cost
        return (self.max_tokens is None or tokens <= self.max_tokens) and (
            self.max_cost is None or cost <= self.max_cost
        )

    def check(self) -> None:
        """Raise RunStopped when a ceiling is reached, or cannot be kept since a reply did not say what it used."""
        used = self.input + self.output
        if self.unknown and (self.max_tokens is not None or self.max_cost is not None):
            raise RunStopped(
                f"{self.unknown} of {self.calls} calls did not report the tokens they used, so that --max-cost and "
                "--max-tokens-total cannot be kept. What was done is kept; the same command without a ceiling goes on."
            )
        if self.max_tokens is not None and used >= self.max_tokens:
            raise RunStopped(
                f"the run has used {used} tokens and --max-tokens-total is {self.max_tokens}. "
                "What was done is kept; the same command with a higher ceiling goes on."
            )
        if self.max_cost is not None and self.price is not None and self.cost >= self.max_cost:
            raise RunStopped(
                f"the run has cost {self.cost:.2f} {self.price.currency} (prices of {self.price.date}) and --max-cost "
                f"is {self.max_cost:g}. What was done is kept; the same command with a higher ceiling goes on."
            )
