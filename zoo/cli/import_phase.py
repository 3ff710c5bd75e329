"""The imports of a command, during which Python collects no garbage.

They leave hardly any, and looking for it takes a tenth of the time of a command for one image. They
end where the command begins to work, or after its first image.
"""

import gc

_is_paused = False


def begin() -> None:
    """Collect no garbage until `end`: for a process that is the command."""
    global _is_paused
    _is_paused = gc.isenabled()
    gc.disable()


def end() -> None:
    """Collect garbage again, but not among what is imported, which stays."""
    global _is_paused
    if _is_paused:
        gc.freeze()
        gc.enable()
    _is_paused = False
