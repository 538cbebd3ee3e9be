"""The yardstick: the `openai` client as its own manual uses it. `python bare_client.py URL CALLS CONNECTIONS`"""

import asyncio
import sys


async def ask(url: str, calls: int, connections: int) -> None:
    """Make `calls` calls over so many connections."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    left = iter(range(calls))

    async def work() -> None:
        for _ in left:
            await client.chat.completions.create(
                model="m",
                messages=[{"role": "system", "content": "x" * 4000}, {"role": "user", "content": "y" * 2000}],
                max_tokens=32768,
            )

    await asyncio.gather(*(work() for _ in range(connections)))
    await client.close()


if __name__ == "__main__":
    asyncio.run(ask(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
