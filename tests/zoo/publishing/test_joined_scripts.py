"""Scripts that are joined to one: it is small, and their names are unique."""

import re
from collections import Counter
from importlib.resources import files

import pytest

import zoo
from tests.helpers import require_llvmlite
from tests.zoo.publishing.node_scripts import run_script
from zoo.publishing.joined_scripts import imports_of
from zoo.publishing.recipes import recipe_of

SCRIPTS = {
    path.name: path.read_text("utf-8")
    for path in (files("zoo.publishing") / "scripts").iterdir()
    if path.name.endswith(".js")
}

#: What a line that is not indented may begin with: others would have names of another form.
_LINE = re.compile(
    r'import \{ [\w, ]+ \} from "\./\w+\.js";$'
    r"|(?:export )?(?:async )?(?:function|class|const|let) \w+"
    r"|/\*\*| \*|//|[\])}`]"
)
_NAME = re.compile(r"^(export )?(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)
_IMPORT = re.compile(r'^import \{ ([\w, ]+) \} from "\./(\w+\.js)";$', re.MULTILINE)


@pytest.fixture(autouse=True)
def _weights(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


def test_names_of_all_scripts_are_unique():
    counts = Counter(name for text in SCRIPTS.values() for _, name in _NAME.findall(text))
    assert [name for name, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_have_the_form_that_can_be_joined(name):
    text = SCRIPTS[name]
    lines = text.splitlines()
    assert [line for line in lines if len(line) > 100] == []
    assert [line for line in lines if line[:1].strip() and not _LINE.match(line)] == []
    assert not re.search(r"\beval\(|new Function\(|\bstyle=", text)


@pytest.mark.parametrize("name", SCRIPTS)
def test_imports_are_of_exported_names_that_are_used(name):
    text = SCRIPTS[name]
    body = _IMPORT.sub("", text)
    imports = _IMPORT.findall(text)
    assert [path for _, path in imports] == [*imports_of(text)]
    for names, path in imports:
        exported = {own for is_public, own in _NAME.findall(SCRIPTS[path]) if is_public}
        for imported in names.split(", "):
            assert imported in exported
            assert re.search(rf"\b{imported}\b", body), imported


_EXPORTS = """
const exported = await import("./published/zoo.js");
answer(Object.keys(exported));
"""


@pytest.mark.parametrize("name", ["posenet.tiny", "mobilenet.v1_025_quant", "blazeface.short"])
def test_a_joined_script_is_small_and_exports_the_model_alone(name, tmp_path):
    require_llvmlite()
    published = zoo.publish(name, tmp_path / "published", page=True)
    with zoo.load(name, backend="cpu") as model:
        class_name = recipe_of(model).class_name
    assert sorted(run_script(tmp_path, _EXPORTS)) == sorted(["ZooError", "load", class_name])
    assert published.code_bytes <= 150_000
