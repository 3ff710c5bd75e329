"""Waiting for the device from coroutines."""

import asyncio
from contextlib import suppress

from core.backends.shader.owner import Owner


async def passed(owner: Owner) -> None:
    """Wait until the device is past all commands so far.

    The GL thread polls a fence between its commands and wakes the event loop when it is past.
    """
    loop = asyncio.get_running_loop()
    is_past = loop.create_future()

    def tell() -> None:
        if not is_past.done():  # whoever waited may have been cancelled
            is_past.set_result(None)

    def notify() -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(tell)

    owner.add_fence(notify)
    await is_past
