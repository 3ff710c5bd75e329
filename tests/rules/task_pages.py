"""The lists of functions and options in ``zoo/docs``; ``python -m tests.rules.task_pages``.

Meanings are those of the docstrings, values and defaults those of the records of options.
"""

import importlib
import re
from collections.abc import Iterator
from inspect import getdoc, signature
from pathlib import Path

import zoo
from core.engine.backends import AUTO, backend_names
from tests.rules.document_forms import list_item
from tests.rules.sources import ROOT
from zoo.catalog.entries import all_entries, choices, tasks, verb_options, verbs_of
from zoo.catalog.entry import Entry
from zoo.catalog.option import OWN, Option

#: The values of options of a type, where their range does not say them.
VALUES = {
    "flag": "`True`, `False`",
    "names": "names",
    "model": "a model",
    "size": "an integer, or (height, width)",
}


def page_of(task: str) -> Path:
    """The page of a task."""
    return ROOT / "zoo" / "docs" / f"{task}.md"


def functions(task: str) -> list[str]:
    """The functions of a task."""
    return list(importlib.import_module(f"zoo.tasks.{task}").OPTIONS)


def arguments(verb: str) -> dict[str, str]:
    """What the docstring of a function says about each argument but the image."""
    text = (getdoc(getattr(zoo, verb)) or "").partition("Args:\n")[2].partition("\n\n")[0]
    found = re.findall(r"^    (\w+): ((?:.|\n {8})+)", text, re.MULTILINE)
    return {name: re.sub(r"\s+", " ", said).strip() for name, said in found if name != "image"}


def home(verb: str, name: str) -> str:
    """The function whose docstring describes an option: itself, or the one that it refers to."""
    other = re.match(r"see `(?:zoo\.)?(\w+)`", arguments(verb)[name])
    return home(other[1], name) if other and name in arguments(other[1]) else verb


def meaning(verb: str, name: str) -> str:
    """The meaning of an option, and what a function adds to that of another one."""
    text, described = arguments(verb)[name], home(verb, name)
    if described == verb:
        return text
    return arguments(described)[name].rstrip(".") + text.partition("`")[2].partition("`")[2]


def records(verb: str, name: str) -> list[Option]:
    """The record of an option: that of the function, or those of loading its models."""
    if name in verb_options(verb):
        return [verb_options(verb)[name]]
    return [entry.options[name] for entry in entries_of(verb) if name in entry.options]


def entries_of(verb: str) -> list[Entry]:
    """The models that have a function."""
    return [entry for entry in all_entries().values() if verb in verbs_of(entry)]


def values(found: list[Option]) -> str:
    """The valid values of an option, by its records."""
    texts: dict[str, None] = {}
    for option in found:
        named = [f"`{choice}`" for choice in option.choices]
        texts |= dict.fromkeys(named or [option.range or VALUES.get(option.type, option.type)])
    return ", ".join(texts)


def default(verb: str, found: list[Option]) -> str:
    """The default of an option, where all models have the same one."""
    texts = {o.default_text for o in found}
    if found[0].default is OWN and not found[0].note:
        own = {entry.default_of(verb, found[0].name) for entry in entries_of(verb)}
        texts = {str(value) for value in own - {None}}
    return texts.pop() if len(texts) == 1 else "by model"


def cells(verb: str, name: str) -> tuple[str, str]:
    """The values and the default of an argument."""
    if name == "model":
        return "a name, a path or a model", f"`{choices()[verb].default}`"
    if name == "backend":
        names = (f"`{backend}`" for backend in (AUTO, *backend_names()))
        return ", ".join(names), "`CORE_BACKEND`, else `cpu`"
    verb = home(verb, name)
    found = records(verb, name)
    return values(found), default(verb, found)


def option_list(verb: str) -> Iterator[str]:
    """An item for each option, with its values, its default and its meaning."""
    for name in list(signature(getattr(zoo, verb)).parameters)[1:]:
        valid, usual = cells(verb, name)
        yield list_item(f"`{name}` ({valid}; default: {usual}): {meaning(verb, name)}")


def function_table(task: str) -> Iterator[str]:
    """A row for each function."""
    yield '| function | what it does | default | `"fast"` | `"best"` |'
    yield "| --- | --- | --- | --- | --- |"
    for verb in functions(task):
        what = (getdoc(getattr(zoo, verb)) or "").partition("\n")[0]
        yield f"| `zoo.{verb}` | {what} | {' | '.join(f'`{n}`' for n in choices()[verb])} |"


def written(task: str, text: str) -> str:
    """The page with its table and its lists as they should be."""
    tables = {"Functions and models": function_table(task)}
    tables |= {f"Options of `{verb}`": option_list(verb) for verb in functions(task)}
    for heading, rows in tables.items():
        before, found, after = text.partition(f"## {heading}\n\n")
        assert found, f"no heading {heading!r} on the page of {task}"
        rest = re.sub(r"\A(?:[|\- ].*\n)*", "", after)
        text = before + found + "\n".join(rows) + "\n" + rest
    return text


if __name__ == "__main__":
    for one in tasks():
        page_of(one).write_text(written(one, page_of(one).read_text()))
