"""Sizes of files and counts as readable text."""


def size_text(count: int) -> str:
    """Return a number of bytes as text.

    >>> size_text(1_300_000), size_text(6224), size_text(96)
    ('1.3 MB', '6 kB', '96 bytes')
    """
    if count < 1000:
        return count_text(count, "byte")
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.0f} kB"


def count_text(count: int, noun: str) -> str:
    """Return a count with its noun.

    >>> count_text(1, "file"), count_text(2, "file")
    ('1 file', '2 files')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
