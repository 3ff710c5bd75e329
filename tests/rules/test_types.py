"""Types are interface: checkers find a user's mistakes, and accept what is right."""

import ast
import importlib.util
import json
import re
import subprocess
import sys

import pytest

import zoo
from tests.helpers import skip_or_fail
from tests.rules import model_types
from tests.rules.sources import ROOT
from zoo.catalog import all_entries, choices, is_entry
from zoo.pipeline.model import model_class
from zoo.unknown_models import able_models

SCRIPT = ROOT / "tests" / "rules" / "planted_mistakes.py"

PLANTED = {
    number
    for number, line in enumerate(SCRIPT.read_text().splitlines(), 1)
    if "# mistake: " in line
}


#: Options of models that a verb makes no use of.
UNUSED = {"infer": {"detector"}, "estimate_single_pose": {"detector"}}


def needed(*modules: str) -> str:
    """The first of some modules that is installed."""
    for module in modules:
        if importlib.util.find_spec(module):
            return module
    skip_or_fail(f"{' or '.join(modules)} is not installed: pip install -e '.[dev]'")
    raise AssertionError


def test_seven_kinds_of_mistakes_are_planted():
    assert len(PLANTED) >= 7


def test_mypy_finds_the_mistakes_and_nothing_else(request):
    needed("mypy")
    cache = str(request.config.cache.mkdir("mypy-of-users"))
    command = ["--strict", "--follow-imports=silent", "--cache-dir", cache, str(SCRIPT)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *command], cwd=ROOT, capture_output=True, text=True
    )
    found = re.findall(r"planted_mistakes\.py:(\d+): error", done.stdout)
    errors = [line for line in done.stdout.splitlines() if ": error" in line]
    assert {int(number) for number in found} == PLANTED, [*errors, done.stderr]


def test_pyright_finds_the_mistakes_and_nothing_else(tmp_path):
    tool = needed("basedpyright", "pyright")
    (tmp_path / SCRIPT.name).write_text(SCRIPT.read_text())
    facts = {"extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(facts))
    command = ["--outputjson", "--project", str(tmp_path), "--pythonpath", sys.executable]
    done = subprocess.run([sys.executable, "-m", tool, *command], capture_output=True, text=True)
    if not done.stdout.lstrip().startswith("{"):
        skip_or_fail(f"{tool} does not start: {(done.stdout + done.stderr)[-300:]!r}")
    said = [x for x in json.loads(done.stdout)["generalDiagnostics"] if x["severity"] == "error"]
    errors = [(x["range"]["start"]["line"] + 1, x["message"]) for x in said]
    assert {line for line, _ in errors} == PLANTED, errors


@pytest.mark.parametrize(
    "path, text",
    [(model_types.NAMES, model_types.model_names), (model_types.LOADERS, model_types.loaders)],
    ids=["names", "loaders"],
)
def test_generated_types_are_in_step_with_the_entries(path, text):
    same = ast.dump(ast.parse(path.read_text())) == ast.dump(ast.parse(text()))
    assert same, f"{path.name} is out of step: python -m tests.rules.model_types"


@pytest.mark.parametrize("verb", sorted(choices()))
def test_functions_have_the_options_of_all_their_models(verb):
    """As explicit keywords: of an option that no checker knows a misspelling would pass."""
    ours = getattr(zoo, verb).__kwdefaults__
    for name in able_models(verb):
        entry = all_entries()[name]
        method = getattr(model_class(entry), verb).__kwdefaults__
        missing = {*method, *entry.options} - ours.keys() - UNUSED.get(verb, set())
        assert not missing, f"zoo.{verb} lacks {missing} of {name}"
        for option, default in method.items():
            assert ours[option] in (default, None), f"{option} of {name}"


@pytest.mark.parametrize("verb", sorted(choices()))
def test_choices_are_models_of_the_verb(verb):
    for name in choices()[verb]:
        assert name in able_models(verb) or not is_entry(name)


@pytest.mark.parametrize("verb", sorted(choices()))
def test_docstrings_begin_with_an_example(verb):
    """After the summary; what it shows is right: tests/zoo/test_docs_of_verbs.py runs it."""
    function = getattr(zoo, verb)
    summary, example, *_ = function.__doc__.split("\n\n")
    assert "\n" not in summary and summary.endswith((".", ".."))
    assert example.strip().startswith(">>> import zoo")
    assert f"zoo.{verb}(" in example and "Traceback" not in example
    told = set(re.findall(r"^        (\w+): ", function.__doc__, re.MULTILINE))
    assert {"image", *function.__kwdefaults__} == told - {"ImageError", "ZooError"}


def test_the_table_of_choices_is_in_step():
    text = (ROOT / "zoo" / "README.md").read_text()
    for verb, its in choices().items():
        assert f"| `{verb}` | `{its.default}` | `{its.fast}` | `{its.best}` |\n" in text
