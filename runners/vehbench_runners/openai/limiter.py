"""How many calls may be in flight: as many as asked for, fewer where a server says that they are too many."""

import asyncio
import random
from collections import deque

GROWTH = 0.1
"""Share of the limit that a whole round of successful calls adds, one slot at least."""

CUT = 0.7
"""What is left of the limit when a server has too much to do."""

LOOK_AGAIN_S = 1.0
"""How soon a paused call notices that the pause was lifted."""


class Limiter:
    """Additive increase, multiplicative decrease between 1 and `most` calls in flight.

    `limit` is the current ceiling. A refusal counts only if its call began after the last cut: calls that left together
    and are refused together say one thing, not many.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = float(most)
        self.in_flight = 0
        self.cuts = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._paused_until = 0.0

    async def acquire(self) -> int:
        """Wait for a slot; returns the number of cuts so far, to be given to `refused`."""
        loop = asyncio.get_running_loop()
        while True:
            pause = self._paused_until - loop.time()
            if pause > 0:
                await asyncio.sleep(min(pause, LOOK_AGAIN_S) * random.uniform(1.0, 1.05))
            elif self.in_flight < int(self.limit):
                self.in_flight += 1
                return self.cuts
            else:
                turn = loop.create_future()
                self._waiting.append(turn)
                try:
                    await turn
                except asyncio.CancelledError:
                    self._wake()  # the turn may have been this one's already
                    raise

    def release(self) -> None:
        """Give a slot back."""
        self.in_flight -= 1
        self._wake()

    def came_through(self) -> None:
        """A call went well."""
        self.limit = min(float(self.most), self.limit + max(1.0 / self.limit, GROWTH))
        self._wake()

    def refused(self, cuts: int) -> None:
        """A server had too much to do for a call that began after `cuts` cuts."""
        if cuts == self.cuts:
            self.limit = max(1.0, min(self.limit, self.in_flight + 1.0) * CUT)
            self.cuts += 1

    def pause(self, seconds: float) -> None:
        """Let no further call begin for a while."""
        self._paused_until = max(self._paused_until, asyncio.get_running_loop().time() + seconds)

    def resume(self) -> None:
        """End a pause early."""
        self._paused_until = 0.0

    def _wake(self) -> None:
        """Wake as many as there is room for; each of them looks again whether there is."""
        room = int(self.limit) - self.in_flight
        while self._waiting and room > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                room -= 1
