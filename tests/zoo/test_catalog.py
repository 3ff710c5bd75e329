"""The catalog: names, families, and what looking one up costs."""

import importlib
import subprocess
import sys

import pytest

import zoo
from weights_cache import find_record
from zoo.catalog import all_entries, find_entry, is_entry, tasks
from zoo.runner import Model, model_class


@pytest.mark.parametrize("task", tasks())
def test_families_are_those_of_the_entries(task):
    folder = importlib.import_module(f"zoo.{task}")
    entries = importlib.import_module(f"zoo.{task}.entries").ENTRIES
    assert {entry.name.partition(".")[0] for entry in entries} == set(folder.FAMILIES)
    assert {entry.task for entry in entries} == {task}


def test_every_family_belongs_to_one_task():
    families = [f for task in tasks() for f in importlib.import_module(f"zoo.{task}").FAMILIES]
    assert len(families) == len(set(families))


@pytest.mark.parametrize("name", zoo.models())
def test_what_an_entry_names_is_there(name):
    entry = find_entry(name)
    assert is_entry(name) and all_entries()[name] is entry
    assert issubclass(model_class(entry), Model)
    paths = {file.path for file in find_record(entry.weights).files}
    assert set(entry.files or ()) <= paths
    assert all(is_entry(part) for part in entry.parts.values())
    assert entry.title and entry.limits
    assert set(entry.parts) & set(entry.options) <= {"detector"}
    for role, option in entry.options.items():
        if role in entry.parts:
            assert option.default == entry.parts[role]
            assert all(is_entry(choice) for choice in option.choices)


def test_looking_one_up_loads_its_task_alone():
    code = (
        "import sys; from zoo.catalog import find_entry; find_entry('posenet.tiny');"
        "print([m for m in sys.modules if m.startswith('zoo.') and m.endswith('.entries')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['zoo.pose.entries']"
