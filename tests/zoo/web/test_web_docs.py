"""The page of documentation about apps and REST: its code runs, its numbers hold."""

import dataclasses
import re
import runpy
from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.conftest import ROOT
from tests.helpers import require
from tests.zoo.web.rest_servers import rest_running
from tests.zoo.web.servers import frame, hear, running
from zoo.pipeline.model_cache import KEPT_MODELS
from zoo.web import client, messages, page_connection, turns
from zoo.web.figures import _MEANINGS
from zoo.web.quotas import Limits
from zoo.web.rest import _REFUSALS
from zoo.web.rest_options import given_options, served_verbs
from zoo.web.rest_requests import RestLimits

PAGE = (ROOT / "zoo" / "docs" / "web.md").read_text()
ASTRONAUT = ROOT / "gallery" / "one_line_pose" / "astronaut.jpg"
PYTHON = re.findall(
    r"(?<! -->\n)```python\n(.*?)```", PAGE, re.DOTALL
)  # others have tests of their own


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)[1]


def test_the_app_runs(tmp_path):
    (tmp_path / "app.py").write_text(PYTHON[0])
    app = runpy.run_path(str(tmp_path / "app.py"))["app"]
    with running(app) as server, server.connect() as page:
        hello = hear(page, "hello")
        page.send(frame(1, ASTRONAUT.read_bytes()))
        answer = hear(page, "result", "error")
        (pose,) = answer["result"] if isinstance(answer["result"], list) else [answer["result"]]
        assert len(pose["keypoints"]) == 17
        page.send('{"type": "count"}')
        assert hear(page, "count")["value"] == 1
        address = f"/download/frames.txt?page={hello['page']}&key={hello['key']}"
        assert server.get(address)[2] == "1 frames\n"


def test_the_requests_of_python_run(shared, tmp_path, monkeypatch, capsys):
    require("requests")
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "image.jpg").write_bytes(ASTRONAUT.read_bytes())
    with rest_running() as server:
        code = "\n".join(PYTHON[1:]).replace("127.0.0.1:8000", server.host)
        (tmp_path / "page.py").write_text(code)
        runpy.run_path(str(tmp_path / "page.py"))
    first, second = capsys.readouterr().out.splitlines()
    assert first == "200 nose" and 0 < float(second) < 1


def test_the_commands_have_functions_and_options():
    addresses = re.findall(r"^curl --data-binary @image.jpg '?([^'\s]+)'?$", PAGE, re.MULTILINE)
    assert len(addresses) == 4
    for address in addresses:
        parts = urlsplit(address)
        verb = parts.path.removeprefix("/v1/")
        assert verb in served_verbs()
        assert (
            given_options(verb, parse_qsl(parts.query)).keys()
            == dict(parse_qsl(parts.query)).keys()
        )


def test_limits_are_those_of_servers():
    rows = re.findall(r"^\| `(\w+)` \| ?([\d,]*) \| ?([\d,]*) \|", section("Limits"), re.MULTILINE)
    rows = [[part.replace(",", "") for part in row] for row in rows]
    assert {row[0] for row in rows} == {each.name for each in dataclasses.fields(RestLimits)}
    for name, app, rest in rows:
        assert not app or float(app) == getattr(Limits(), name)
        assert not rest or float(rest) == getattr(RestLimits(), name)
        assert app or not hasattr(Limits(), name)


def test_limits_of_pages_are_those_of_the_code():
    rows = section("Limits").partition("| of a page | at most |")[2]
    shown = [int(n.replace(",", "")) for n in re.findall(r"\| ([\d,]+) \|$", rows, re.MULTILINE)]
    assert shown == [
        turns.MOST_MESSAGES,
        turns.MOST_BYTES,
        turns.MOST_BYTES_OF_ALL,
        messages.LONGEST_TEXT,
        page_connection.MOST_TEXTS,
        page_connection.MOST_UNSENT,
        client.MOST_SESSIONS,
    ]
    (factor,) = re.findall(r"a character of a text counts as (\d+)", rows)
    assert int(factor) == page_connection._BYTES_OF_JSON


def constant(script, name):
    """A number of a script of every page."""
    text = (ROOT / "zoo" / "web" / "assets" / script).read_text()
    return int(re.search(rf"^const {name} = ([\d_]+);", text, re.MULTILINE)[1].replace("_", ""))


@pytest.mark.parametrize(
    ("title", "words", "value"),
    [
        ("How frames travel", r"at most (\S+) pixels", constant("sources.js", "SIDE")),
        ("How frames travel", r"waited for (\S+) s ", turns.LONGEST_WAIT),
        ("How frames travel", r"older than (\S+) s ", constant("zoo.js", "OLDEST_SHOWN") / 1000),
        ("REST", r"the last (\d+) stay loaded", KEPT_MODELS),
    ],
    ids=["side", "wait", "age", "models"],
)
def test_numbers_in_sentences_are_those_of_the_code(title, words, value):
    (shown,) = re.findall(words, " ".join(section(title).split()))
    assert float(shown) == value


def test_the_page_lists_the_functions_of_rest():
    verbs, text = served_verbs(), " ".join(PAGE.split())
    assert set(re.findall(r"(\d+) functions", text)) == {str(len(verbs))}
    listed = re.search(r"find something in an image: (.*?)\.", text)[1]
    assert re.findall(r"`(\w+)`", listed) == sorted(verbs)


def test_figures_and_statuses_are_all_there():
    names = re.findall(r"^\| `(zoo_\w+)` \|", section("What is kept"), re.MULTILINE)
    assert sorted(names) == sorted(_MEANINGS)
    shown = re.findall(r"\b[45]\d\d\b", section("REST").partition("| status |")[2])
    assert {str(status) for status in _REFUSALS} <= set(shown)


@pytest.mark.parametrize(
    "name", sorted(set(re.findall(r"\bzoo\.(?!js\b)(\w+)", section("A page of your own"))))
)
def test_scripts_have_what_the_page_names(name):
    script = (ROOT / "zoo" / "web" / "assets" / "zoo.js").read_text()
    assert re.search(rf"^  (async )?{name}(\(| = )|this\.{name} = ", script, re.MULTILINE), name


def test_scripts_export_what_draws():
    names = re.findall(r"`(draw\w+|line|dot|write|tint)[(`]", section("A page of your own"))
    script = (ROOT / "zoo" / "web" / "assets" / "zoo.js").read_text()
    exported = re.findall(r"\w+", " ".join(re.findall(r"^export \{(.*?)\}", script, re.MULTILINE)))
    assert len(names) == 8 and set(names) <= set(exported)
