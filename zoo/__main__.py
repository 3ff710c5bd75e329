"""``python -m zoo`` is the ``zoo`` command, where the package is not installed."""

import sys

from zoo.cli import main

if __name__ == "__main__":
    sys.exit(main())
