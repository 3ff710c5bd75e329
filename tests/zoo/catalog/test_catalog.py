"""The catalog: names, families, and what looking one up costs."""

import importlib
import subprocess
import sys

import pytest

import zoo
from weights_cache import find_record
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import all_entries, find_entry, is_entry, model_class, tasks, with_parts
from zoo.pipeline.model import Model


@pytest.mark.parametrize("task", tasks())
def test_families_are_those_of_the_entries(task):
    folder = importlib.import_module(f"zoo.tasks.{task}")
    entries = importlib.import_module(f"zoo.tasks.{task}.entries").ENTRIES
    assert {entry.name.partition(".")[0] for entry in entries} == set(folder.FAMILIES)
    assert {entry.task for entry in entries} == {task}


def test_every_family_belongs_to_one_task():
    families = [
        f for task in tasks() for f in importlib.import_module(f"zoo.tasks.{task}").FAMILIES
    ]
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


def test_models_by_name_or_task():
    assert zoo.models("palm.*") == ["palm.full", "palm.lite"]
    of_hands = [entry.name for entry in all_entries().values() if entry.task == "hands"]
    assert zoo.models("hands") == of_hands
    assert zoo.models("hand") == []
    for pattern in (3, None, ["hands"]):
        with pytest.raises(ZooError, match="no pattern of names"):
            zoo.models(pattern)


def test_parts_are_followed():
    parts = {name: [e.name for e in with_parts(find_entry(name))] for name in zoo.models()}
    assert parts["posenet.tiny"] == ["posenet.tiny"]
    assert parts["movenet.lightning"] == ["movenet.lightning", "ssd.mobilenet_v1"]
    assert parts["facemesh.base"][:2] == ["facemesh.base", "blazeface.refined"]
    assert "faceapi.tiny_detector" in parts["facemesh.base"]  # of the points that others need
    assert all(len(set(names)) == len(names) for names in parts.values())


def test_a_model_that_cannot_says_what_it_can_and_who_else_can():
    with pytest.raises(ZooError) as caught:
        zoo.segment_persons("no.jpg", model="faceapi.expression")
    assert str(caught.value) == (
        "faceapi.expression cannot segment_persons: it can infer, and is a part of models such as "
        "blazeface.back; models that can segment_persons: bodypix.mobilenet_075"
    )


def test_looking_one_up_loads_its_task_alone():
    code = (
        "import sys; from zoo.catalog.entries import find_entry; find_entry('posenet.tiny');"
        "print([m for m in sys.modules if m.startswith('zoo.tasks.') and m.endswith('.entries')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['zoo.tasks.pose.entries']"
