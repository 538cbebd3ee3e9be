"""Episodes that wake together go on one after the other, and each has sent its next call before the next one moves.

An event loop gives every task that can run a step in turn. Of replies that arrive together, all would be read before
the first next call leaves, and all next calls would leave together: their replies arrive together again, each time
more of them, and a server that could have worked meanwhile stands still.
"""

import asyncio
from collections import deque

ROUNDS = 3
"""After so many rounds of the loop an episode has sent its call: HTTP libraries write in a task of their own."""


class Pacer:
    """Lets one task go on at a time, in the order of their coming. The next one may go on `ROUNDS` rounds of the loop
    later, so nothing has to be given back."""

    def __init__(self) -> None:
        self._open = True
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def next_turn(self) -> None:
        """Wait until it is this task's turn."""
        loop = asyncio.get_running_loop()
        if not self._open:
            turn = loop.create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():  # its turn came, and it has no use for it
                    self._let_through()
                raise
        self._open = False
        loop.call_soon(self._count_down, loop, ROUNDS - 1)

    def _count_down(self, loop: asyncio.AbstractEventLoop, rounds: int) -> None:
        if rounds > 0:
            loop.call_soon(self._count_down, loop, rounds - 1)
        else:
            self._let_through()

    def _let_through(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._open = True
