"""The schema in ``zoo/docs/batch.md`` is that of the files."""

from pathlib import Path

from tests.zoo.jobs.test_sources import needed
from zoo.jobs.parquet import arrow_schema

PAGE = Path("zoo/docs/batch.md")


def schema_text(verb: str) -> str:
    """The columns of a function, an inner one indented below the outer one."""
    return "\n".join(_lines(arrow_schema(verb), 0))


def _lines(fields, depth: int):
    import pyarrow as pa

    for field in fields:
        kind = field.type
        name = {pa.types.is_list: "list of", pa.types.is_struct: "struct"}
        word = next((text for check, text in name.items() if check(kind)), str(kind))
        inner = kind
        if pa.types.is_list(kind):
            inner = kind.value_type
            word = f"list of {'struct' if pa.types.is_struct(inner) else inner}"
        yield f"{'  ' * depth}{field.name}: {word}{'' if not field.nullable else ' or null'}"
        if pa.types.is_struct(inner):
            yield from _lines([inner.field(i) for i in range(inner.num_fields)], depth + 1)


def test_the_page_has_the_schema():
    needed("pyarrow")
    text = PAGE.read_text()
    block = text.partition("<!-- schema of estimate_multiple_poses -->\n```\n")[2].partition("```")[
        0
    ]
    assert block.strip() == schema_text("estimate_multiple_poses")
