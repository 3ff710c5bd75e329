"""What the commands print where: closed and full streams, and names from strangers."""

import csv
import io
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import zoo
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from tests.helpers import ROOT
from zoo.cli import main

PHOTO = str(ROOT / "gallery" / "one_line_pose" / "astronaut.jpg")
COMMAND = f"{sys.executable} -c 'import sys, zoo.cli; sys.exit(zoo.cli.main())'"

needs_shell = pytest.mark.skipif(os.name == "nt", reason="written for a POSIX shell")


def shell(text: str) -> tuple[int, str, str]:
    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, cwd=ROOT, check=False)
    return done.returncode, done.stdout, done.stderr


@needs_shell
@pytest.mark.parametrize("arguments", ["pose nowhere.jpg", "", "pose", "weights verify nowhere"])
def test_complaints_need_stderr(arguments):
    status, out, err = shell(f"{COMMAND} {arguments}")
    assert (status, out) == (2, "") and err
    assert shell(f"{COMMAND} {arguments} 2>&-") == (2, "", "")


@needs_shell
def test_no_file_takes_the_place_of_a_closed_stderr(tmp_path):
    """What libraries write to descriptor 2 went into the drawing, which had its number."""
    target = tmp_path / "x.png"
    status, out, _ = shell(f"{COMMAND} pose {PHOTO} --draw {target} 2>&- <&-")
    assert status == 0 and out.startswith("[{")
    assert zoo.read_image(target).ndim == 3
    code = "import os, zoo.cli.terminal as t; t._open_missing(); os.write(2, b'x'); os.read(0, 1)"
    assert shell(f'{sys.executable} -c "{code}" 2>&- <&-') == (0, "", "")


@needs_shell
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a full device")
@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (f"pose {PHOTO} --draw OUT.png", 0),
        (f"pose {PHOTO} nowhere.jpg", 1),
        ("pose nowhere.jpg", 2),
        ("models pose", 0),
    ],
)
def test_the_status_is_that_of_the_results_whatever_becomes_of_stderr(arguments, status, tmp_path):
    command = f"{COMMAND} {arguments.replace('OUT', str(tmp_path / 'out'))}"
    expected = shell(command)
    assert expected[0] == status and expected[2]
    assert shell(f"{command} 2>/dev/full") == (*expected[:2], "")


def test_a_replaced_drawing_is_mentioned(capsys, tmp_path):
    target = str(tmp_path / "x.png")
    for words in ("", " (an existing file was replaced)"):
        assert main(["pose", PHOTO, "--draw", target]) == 0
        assert capsys.readouterr().err == f"drawn: {target}{words}\n"


ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e"


def hostile_model(folder) -> str:
    """A model whose names hold what terminals obey."""
    from core.converter.web_writer import write_web

    name = f"x{ESCAPES}"
    nodes = [Node(name, "Placeholder"), Node("w", "Const"), Node(f"y{ESCAPES}", "Mul", (name, "w"))]
    spec = PartialSpec((None, 2))
    graph = Graph(
        nodes,
        {"w": np.float32([2.0, 3.0])},
        {name: Endpoint(name, spec)},
        {f"y{ESCAPES}": Endpoint(f"y{ESCAPES}", spec)},
    )
    write_web(graph, folder)
    return str(folder)


@pytest.mark.parametrize(
    "arguments",
    [
        ["plan", "MODEL"],
        ["plan", "MODEL", "--json"],
        ["plan", "MODEL", PHOTO],
        ["convert", "MODEL", "--dry-run"],
        ["convert", "MODEL", "OUT", "--output", "z"],
        ["convert", "MODEL", f"OUT{ESCAPES}"],
        ["convert", f"MODEL{ESCAPES}", "OUT"],
    ],
    ids=str,
)
def test_names_in_models_do_not_reach_the_terminal(arguments, capsys, tmp_path):
    model = hostile_model(tmp_path / "model")
    places = {"MODEL": model, "OUT": str(tmp_path / "out")}
    for place, path in places.items():
        arguments = [text.replace(place, path) for text in arguments]
    main(arguments)
    out, err = capsys.readouterr()
    assert out or err
    assert not set(ESCAPES[:1] + ESCAPES[-1] + "\x07") & set(out + err)


@pytest.mark.parametrize("form", ["--text", "--csv", "--json", "--jsonl"])
def test_names_of_files_do_not_reach_the_terminal(form, capsys, tmp_path):
    photo = str(tmp_path / "a\x1b[31m\u202e.jpg")
    shutil.copy(PHOTO, photo)
    assert main(["pose", photo, PHOTO, f"{tmp_path}/no\x1b.jpg", form]) == 1
    out, err = capsys.readouterr()
    assert "31m" in out and "\x1b" not in out + err and "\u202e" not in out + err


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "＝", "＋", "－", "＠"])
def test_no_cell_of_csv_is_a_formula(start):
    label = f"{start}1+1"
    [row] = csv.DictReader(
        io.StringIO(zoo.to_csv({f"{start}a.jpg": [{"label": label, "score": -0.5, "index": 1}]}))
    )
    assert row["label"] == f"'{label}" and row["image"] == f"'{start}a.jpg"
    assert row["score"] == "-0.5"


def test_cells_of_csv_hold_no_control_characters():
    labels = ["\t=1", "\r=1", "a\nb", "\x1b[2J"]
    text = zoo.to_csv([{"label": label, "score": 0.5, "index": 1} for label in labels])
    rows = csv.DictReader(io.StringIO(text))
    assert [row["label"] for row in rows] == ["\\t=1", "\\r=1", "a\\nb", "\\x1b[2J"]
