"""Files and folders that systems leave among those of users."""

#: Names in lower case: of macOS's archives, disks of Synology and QNAP, Windows, and Linux.
_NAMES = frozenset(
    {
        *("__macosx", "@eadir", "#recycle", "@recycle", "$recycle.bin"),
        *("system volume information", "lost+found"),
        *("thumbs.db", "ehthumbs.db", "desktop.ini"),
    }
)

#: Files that file managers write into any folder that is looked at, and that nobody misses.
LEFT_BY_FILE_MANAGERS = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


def is_of_system(name: str) -> bool:
    """Return whether a file or folder is hidden, or one that a system makes by itself.

    >>> is_of_system("__MACOSX"), is_of_system(".DS_Store"), is_of_system("cats")
    (True, True, False)
    """
    return name.startswith(".") or name.lower() in _NAMES
