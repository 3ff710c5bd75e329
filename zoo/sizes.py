"""Sizes of files, as people read them."""


def size_text(count: int) -> str:
    """Bytes for people.

    >>> size_text(1_300_000), size_text(6224)
    ('1.3 MB', '6 kB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.0f} kB"
