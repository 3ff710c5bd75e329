"""Types are interface: checkers find a user's mistakes, and accept what is right."""

import ast
import importlib.util
import inspect
import json
import re
import subprocess
import sys
from typing import get_args

import pytest

import zoo
from tests.helpers import skip_or_fail
from tests.rules import model_types
from tests.rules.sources import ROOT
from zoo.catalog.entries import all_entries, choices, is_entry, model_class, verb_options
from zoo.catalog.option import OWN
from zoo.catalog.unknown_models import able_models
from zoo.pipeline.options import checked_value, options_of
from zoo.tasks.faces.verbs import LANDMARKS, Landmarks

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


@pytest.mark.whole
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


@pytest.mark.whole
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
    [
        (model_types.NAMES, model_types.model_names),
        (model_types.LOADERS, model_types.loaders),
        (model_types.PACKAGE, model_types.package),
    ],
    ids=["names", "loaders", "package"],
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


#: Functions that pass options on to another one.
PASSED_ON = {"recognize_gestures": ("estimate_hands",)}

#: Options that functions have for all models alike.
GENERAL = {"model", "backend"}


@pytest.mark.parametrize("verb", sorted(choices()))
def test_signatures_are_those_of_the_declared_options(verb):
    """No option is declared and not taken, or taken and not declared; so it is with defaults."""
    verbs = (verb, *PASSED_ON.get(verb, ()))
    declared = {name: option for v in reversed(verbs) for name, option in verb_options(v).items()}
    entries = [all_entries()[name] for v in verbs for name in able_models(v)]
    loading = {name for entry in entries for name in entry.options} - UNUSED.get(verb, set())
    ours = getattr(zoo, verb).__kwdefaults__
    assert ours.keys() == GENERAL | declared.keys() | loading
    for name, option in declared.items():
        assert ours[name] in (option.default, None), f"{name} of zoo.{verb}"


@pytest.mark.parametrize("verb", sorted(choices()))
def test_signatures_of_models_are_those_of_the_declared_options(verb):
    declared, taken = verb_options(verb), set()
    for model in able_models(verb):
        method = getattr(model_class(all_entries()[model]), verb)
        assert options_of(method).keys() == method.__kwdefaults__.keys()
        for name, default in method.__kwdefaults__.items():
            option = declared[name]
            own = option.default is OWN and default is None  # the detector's
            assert own or default == option.default, f"{name} of {model}"
        taken |= method.__kwdefaults__.keys()
    own_options = {"estimate_faces": {"landmarks"}, "recognize_gestures": {"hands_model"}}
    assert taken | own_options.get(verb, set()) == declared.keys()


@pytest.mark.parametrize("verb", sorted(choices()))
def test_types_of_signatures_are_those_of_the_declared_options(verb):
    """As a function has them; those of models are without None."""
    written = inspect.signature(getattr(zoo, verb)).parameters
    for name, option in verb_options(verb).items():
        if not option.choices and option.type != "model":
            annotation = str(written[name].annotation).removesuffix(" | None")
            assert annotation == model_types.TYPES[option.type], f"{name} of zoo.{verb}"
    literals = get_args(Landmarks)
    assert literals == verb_options("estimate_faces")["landmarks"].choices == tuple(LANDMARKS)


def told_in(verb) -> dict[str, str]:
    """What the docstring of a function says of each argument, on one line."""
    text = getattr(zoo, verb).__doc__
    text = text[text.index("    Args:") : text.index("    Returns:")]
    found = re.findall(r"^        (\w+): (.*(?:\n            .*)*)", text, re.MULTILINE)
    return {name: " ".join(lines.split()) for name, lines in found}


@pytest.mark.parametrize("verb", sorted(choices()))
def test_docstrings_have_the_ranges_and_defaults_of_options(verb):
    """But for those that name another function which has them."""
    told = told_in(verb)
    for name, option in verb_options(verb).items():
        if "see `" in told[name]:
            continue
        assert option.type == "choice" or option.range in told[name], f"{name} of zoo.{verb}"
        if option.default not in (None, OWN, False, getattr(zoo, verb).__kwdefaults__[name]):
            assert f"by default {option.default}" in told[name], f"{name} of zoo.{verb}"
        for model in able_models(verb) if option.default is OWN else ():
            entry = all_entries()[model]
            if name in getattr(model_class(entry), verb).__kwdefaults__:
                own = entry.default_of(verb, name)
                said = OWN in told[name] or str(own) in told[name]
                assert said or own is None, f"{name} of {model}"


def test_options_are_complete():
    """What their readers rely on: help texts, errors and forms."""
    loading = [option for entry in all_entries().values() for option in entry.options.values()]
    for option in [o for verb in choices() for o in verb_options(verb).values()] + loading:
        assert option.meaning and not option.meaning.endswith("."), option.name
        assert option.type in {*model_types.TYPES, "choice", "model"}
        assert option.default_text or option.type == "flag", option.name
        if option.default not in (None, OWN):
            assert checked_value(option, option.default) == option.default
        assert json.loads(json.dumps(option.as_dict()))["name"] == option.name


@pytest.mark.parametrize("verb", sorted(choices()))
def test_choices_are_models_of_the_verb(verb):
    for name in choices()[verb]:
        assert name in able_models(verb) or not is_entry(name)


@pytest.mark.parametrize("verb", sorted(choices()))
def test_docstrings_begin_with_an_example(verb):
    """After the summary; what it shows is right: tests/zoo/tasks/test_docs_of_verbs.py runs it."""
    function = getattr(zoo, verb)
    summary, example, *_ = function.__doc__.split("\n\n")
    assert "\n" not in summary and summary.endswith((".", ".."))
    assert example.strip().startswith(">>> import zoo")
    assert f"zoo.{verb}(" in example and "Traceback" not in example
    told = set(re.findall(r"^        (\w+): ", function.__doc__, re.MULTILINE))
    assert {"image", *function.__kwdefaults__} == told - {"ImageError", "ZooError"}


def test_the_table_of_choices_is_in_step():
    text = (ROOT / "zoo" / "docs" / "models.md").read_text()
    for verb, its in choices().items():
        assert f"| `{verb}` | `{its.default}` | `{its.fast}` | `{its.best}` |\n" in text
