"""Opening of regular files, also where an exception comes in between."""

import gc
import os
import sys

import pytest

from weights_cache.regular_files import open_regular, open_unlinked


def is_open(path):
    """Whether this process has a file open."""
    names = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
    return str(path) in [os.readlink(name) for name in names if os.path.lexists(name)]


# Python closes what nobody holds any more, and says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="open files are not listed here")
@pytest.mark.parametrize("opened", [open_regular, open_unlinked])
def test_an_exception_after_any_call_leaves_no_file_open(opened, tmp_path):
    """As that of a signal handler, which Python calls when a function returns."""
    path, events = tmp_path / "a", 0
    path.write_bytes(b"a")

    def strike(frame, event, argument):
        nonlocal events
        events += event == "c_return"
        if events == when:
            raise TimeoutError

    for when in range(1, 40):
        events = 0
        sys.setprofile(strike)
        try:
            opened(path).close()
        except TimeoutError:
            pass
        finally:
            sys.setprofile(None)
        gc.collect()
        assert not is_open(path), when
    assert events < when  # so that all were struck
