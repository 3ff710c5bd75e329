"""Prints the tables; the names of some restrict them to those."""

import sys

from tests.benchmarks.answers import classes, faces, objects, poses

TABLES = {"poses": poses, "faces": faces, "objects": objects, "classes": classes}

for name in sys.argv[1:] or TABLES:
    print(f"## {name}\n")
    TABLES[name].print_table()
