"""Prints the tables: see the package."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import core
from tests.benchmarks.answers.measured import TABLES
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Table, markdown, plain, written

PAGE = Path(__file__).parents[3] / "zoo" / "docs" / "models.md"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.answers")
    names = ", ".join(TABLES)
    parser.add_argument("tables", nargs="*", choices=[[], *TABLES], metavar="TABLE", help=names)
    parser.add_argument("--model", nargs="+", default=["*"], help="names, patterns, default, best")
    parser.add_argument("--limit", type=int, help="photos of a kind, and frames of a clip")
    parser.add_argument("--json", type=Path, metavar="PATH", help="also write the figures there")
    parser.add_argument("--docs", action="store_true", help=f"write the tables into {PAGE.name}")
    given = parser.parse_args()
    if given.docs and (given.limit or given.model != ["*"]):
        parser.error("--docs takes all models and photos: leave out --model and --limit")
    return given


def printed(names: list[str], scope: Scope) -> Iterator[Table]:
    for name in names:
        for table in TABLES[name].tables(scope):
            if table.rows:
                print(f"### {table.title}\n\n{markdown(table)}", flush=True)
                yield table


def main() -> None:
    given = arguments()
    # kernels that a thread compiles meanwhile would change quantised figures from run to run
    core.set_tier(2)
    scope = Scope(tuple(given.model), given.limit)
    tables = list(printed(given.tables or list(TABLES), scope))
    if given.json:
        found = {table.title: plain(table) for table in tables}
        given.json.write_text(json.dumps(found, indent=1) + "\n")
    if given.docs:
        PAGE.write_text(written(tables, PAGE.read_text()))


main()
