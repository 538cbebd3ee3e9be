"""How many calls may be in flight: as many as asked for, fewer where a server says that they are too many, one while
nothing comes through."""

import asyncio
import random
from collections import deque
from dataclasses import dataclass

GROWTH = 0.1
"""Share of the limit that a whole round of successful calls adds, one slot at least."""

CUT = 0.7
"""What is left of the limit when a server has too much to do."""

TOLERATED = 0.2
"""Share of refusals that leaves the limit as it is: some servers refuse at random, and fewer calls do not help then."""

FIRST_CALLS = 5
"""So many calls that came through are added before the share of refusals is taken, since a few calls say little."""

FORGOTTEN_CALLS = 50
"""After so many calls, and two rounds of the limit, what came of them counts half."""

FAILURES_TO_PROBE = 5
"""After so many failures without one call that came through, one call at a time probes the server."""

FIRST_PROBE_S = 0.5
LONGEST_PROBE_S = 10.0
"""Seconds between probes: doubled from the first to the last, so that the end of an outage is soon noticed."""

SHORTEST_STALL_S = 10.0
STALL_FACTOR = 5.0
"""A call is stuck once it has taken so many times longer than the longest of the latest others, and this at least."""

LATENCIES = 100
"""How many of the latest calls say what is usual."""

FIRST_LATENCIES = 5
"""While fewer calls have come back, none is known to be stuck."""

LOOK_AGAIN_S = 1.0
"""How soon a paused call notices that the pause was lifted."""


@dataclass(eq=False)
class Slot:
    """The place of one call: when it began, the cuts of the limit before it, whether it probes, and whether it is
    counted. A stuck call is not counted any more."""

    begun: float
    cuts: int
    probing: bool
    counted: bool = True


class Limiter:
    """Additive increase, multiplicative decrease between 1 and `most` calls in flight.

    `limit` is the current ceiling of `in_flight`, the calls that take a slot. It is cut where more than a tolerated
    share of the calls since the last cut were refused. A refusal counts only if its call began after that cut: calls
    that left together and are refused together say one thing, not many. `down_since` is the first failure since a call
    came through. `newest_answered` is when the latest call began that was answered: the server was alive then.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.in_flight = 0
        self.cuts = 0
        self.newest_answered = float("-inf")
        self.down_since: float | None = None
        self._slots: set[Slot] = set()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._paused_until = 0.0
        self._next_probe = 0.0
        self._failures = self._probes = 0
        self._through = self._refused = 0.0
        self._latencies: deque[float] = deque(maxlen=LATENCIES)

    @property
    def stuck(self) -> int:
        """Calls that have taken far longer than the others took."""
        return len(self._slots) - self.in_flight

    @property
    def probing(self) -> bool:
        """Whether nothing comes through, so that one call at a time is made."""
        return self._failures >= FAILURES_TO_PROBE

    async def acquire(self, *, at_once: bool = False) -> Slot:
        """Wait for a slot; `at_once` is for a call that failed while others came through, and waits for no probe."""
        loop = asyncio.get_running_loop()
        while True:
            probing = self.probing and not at_once
            pause = (max(self._paused_until, self._next_probe) if probing else self._paused_until) - loop.time()
            if pause > 0:
                await asyncio.sleep(min(pause, LOOK_AGAIN_S) * random.uniform(1.0, 1.05))
            elif self._room() > 0 or (at_once and self.in_flight < int(self.limit)):
                slot = Slot(loop.time(), self.cuts, probing)
                self._slots.add(slot)
                self.in_flight += 1
                return slot
            else:
                turn = loop.create_future()
                self._waiting.append(turn)
                try:
                    await turn
                except asyncio.CancelledError:
                    self._wake()  # the turn may have been this one's already
                    raise

    def release(self, slot: Slot) -> None:
        """Give a slot back."""
        self._slots.discard(slot)
        self.in_flight -= slot.counted
        self._wake()

    def came_through(self, slot: Slot) -> None:
        """A call was answered, in whatever way."""
        self.newest_answered = max(self.newest_answered, slot.begun)
        self._failures = self._probes = 0
        self.down_since = None
        self._through += 1
        if self._through + self._refused > FORGOTTEN_CALLS + 2 * self.limit:
            self._through, self._refused = self._through / 2, self._refused / 2
        self._latencies.append(asyncio.get_running_loop().time() - slot.begun)
        self.limit = min(float(self.most), self.limit + max(1.0 / self.limit, GROWTH))
        self._wake()

    def failed(self, slot: Slot) -> None:
        """A call was not answered, or refused for the time being, for reasons that may hold for all calls."""
        now = asyncio.get_running_loop().time()
        self._failures += 1
        self._probes += slot.probing
        self.down_since = now if self.down_since is None else self.down_since
        self._next_probe = now + min(LONGEST_PROBE_S, FIRST_PROBE_S * 2.0 ** min(self._probes, 30))

    def refused(self, slot: Slot) -> None:
        """A server had too much to do for a call."""
        if slot.cuts != self.cuts:
            return
        self._refused += 1
        if self._refused > TOLERATED * (self._refused + self._through + FIRST_CALLS):
            self.limit = max(1.0, min(self.limit, self.in_flight + 1.0) * CUT)
            self.cuts += 1
            self._through = self._refused = 0.0

    def pause(self, seconds: float) -> None:
        """Let no further call begin for a while."""
        self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + seconds)

    def resume(self) -> None:
        """End all pauses early."""
        self._paused_until = self._next_probe = 0.0

    def free_stuck(self) -> None:
        """Take the slots of calls that have taken far longer than the others took; they stay in flight without one."""
        if len(self._latencies) < FIRST_LATENCIES:
            return
        latest = asyncio.get_running_loop().time() - max(SHORTEST_STALL_S, STALL_FACTOR * max(self._latencies))
        for slot in self._slots:
            if slot.counted and slot.begun < latest:
                slot.counted = slot.probing = False
                self.in_flight -= 1
        self._wake()

    def has_been_down(self, seconds: float) -> bool:
        """Whether nothing has come through for so long, pauses that a server asked for aside, and no call that began
        before the first failure may still be answered."""
        if self.down_since is None or not self.probing:
            return False
        since = max(self.down_since, self._paused_until)
        hoped_for = any(slot.counted and slot.begun < self.down_since for slot in self._slots)
        return not hoped_for and asyncio.get_running_loop().time() - since >= seconds

    def _room(self) -> int:
        if self.probing:
            return 0 if any(slot.probing for slot in self._slots) else 1
        return int(self.limit) - self.in_flight

    def _wake(self) -> None:
        """Wake as many as there is room for; each of them looks again whether there is."""
        room = self._room()
        while self._waiting and room > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                room -= 1
