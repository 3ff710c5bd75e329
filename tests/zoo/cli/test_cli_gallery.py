"""``zoo gallery``: the list, wrong names, and what is not installed; ``zoo serve`` as a process."""

import json
import signal
import subprocess
import sys
import tarfile
from http.client import HTTPConnection

import pytest

from tests.helpers import ROOT
from tests.zoo.web.server_processes import server_process
from tests.zoo.web.servers import PATIENCE
from zoo.cli import main
from zoo.web.gallery import app_names


def test_apps_are_listed_with_a_line_each(capsys):
    assert main(["gallery"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(app_names())
    assert {"pose_mirror", "teachable", "object_hunt"} <= set(app_names()) and len(lines) >= 8
    assert all(len(line.split()) > 3 and len(line) <= 100 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pose_miror"], "no app 'pose_miror': did you mean 'pose_mirror'?"),
        (["nothing_like_it"], "the gallery has no app 'nothing_like_it'; apps: air_drawing"),
        (["../web"], "the gallery has no app '../web'"),
        (["pose_mirror", "--port", "70000"], "port=70000 must be an integer between 0 and 65535"),
        (["pose_mirror", "--source", "no.mp4"], "no.mp4"),
        (["pose_mirror", "--token", "x"], "the token must be"),
        (["pose_mirror", "--host", "a" * 70], "is not an address of this computer"),
        (["pose_mirror", "--certificate", "a.pem", "b.pem"], "'a.pem' cannot be read"),
        (
            ["--source", "a.mp4"],
            "--source .. needs an app: zoo gallery NAME --source ..; apps: a",
        ),
        (["--open", "--host", "::1"], "needs an app: zoo gallery NAME --open --host ..; apps:"),
        (["--port", "0"], "--port .. needs an app: zoo gallery NAME --port .."),
    ],
)
def test_mistakes_are_one_error(arguments, words, capsys):
    assert main(["gallery", *arguments]) == 2
    printed = capsys.readouterr()
    assert words in printed.err.replace("\n", " ") and "Traceback" not in printed.err


@pytest.mark.parametrize("module", ["uvicorn", "starlette", "websockets"])
def test_without_the_extra_the_error_says_what_to_install(module):
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from zoo.cli import main\n"
        "print(main(['gallery'])); print(main(['gallery', 'pose_mirror', '--port', '0']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    *listed, first, second = done.stdout.splitlines()
    assert (first, second) == ("0", "2") and "pose_mirror" in " ".join(listed)
    assert "pip install 'friendly-zoo[web]'" in done.stderr and "Traceback" not in done.stderr


def asked(port, method, path, body=None, **headers):
    """Status and JSON of an answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_serve_answers_until_ctrl_c():
    body = (ROOT / "gallery" / "one_line_pose" / "astronaut.jpg").read_bytes()
    path, token = "/v1/estimate_single_pose", {"authorization": "Bearer secret-of-9"}
    command = ["serve", "--port", "0", "--token", "secret-of-9", "--backend", "cpu"]
    with server_process(command) as server:
        assert server.token == "secret-of-9" and server.lines[0].startswith("Zoo: http://127.0.0.1")
        health = {"status": "ok", "requests": 0, "arriving": 0}
        assert asked(server.port, "GET", "/healthz") == (200, health)
        for method, address in (("GET", "/openapi.json"), ("GET", "/"), ("POST", path)):
            status, answer = asked(server.port, method, address)
            assert status == 401 and "the token is missing or wrong" in answer["error"]
        status, answer = asked(server.port, "GET", "/openapi.json", **token)
        assert status == 200 and path in answer["paths"]
        status, answer = asked(server.port, "POST", path, body, **token)
        assert status == 200 and len(answer["keypoints"]) == 17
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == 130, server.lines
    assert len(server.lines) == 1, server.lines


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--port", "-1"], "port=-1 must be an integer between 0 and 65535"),
        (["--token", "x"], "the token must be"),
        (["--certificate", "a.pem", "b.pem"], "'a.pem' cannot be read"),
        (["--backend", "shadr"], "unknown backend 'shadr': use one of ['cpu'"),
        (["--backend", "cuda"], "backend='cuda': use backend='auto'"),
    ],
)
def test_mistakes_of_serve_are_one_error(arguments, words, capsys):
    assert main(["serve", *arguments]) == 2
    printed = capsys.readouterr()
    assert words in printed.err.replace("\n", " ") and "Traceback" not in printed.err


def built(*commands, folder):
    """Run commands of setuptools without a trace in the checkout."""
    base = ["-q", "egg_info", "--egg-base", str(folder)]
    done = subprocess.run(
        [sys.executable, "-c", "import setuptools; setuptools.setup()", *base, *commands],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_the_built_package_has_the_apps_and_their_pages(tmp_path):
    built("build_py", "--build-lib", str(tmp_path / "lib"), folder=tmp_path)
    web = tmp_path / "lib" / "zoo" / "web"
    for name in app_names():
        files = {path.name for path in (ROOT / "gallery" / name).iterdir() if path.is_file()}
        assert {path.name for path in (web / "apps" / name).iterdir()} == files >= {"app.py"}
    assert (web / "apps" / "texts.json").is_file() and (web / "assets" / "texts.json").is_file()
    copied = {path.name for path in (web / "apps").iterdir()}
    assert copied == {*app_names(), "texts.json"}  # neither demos nor training
    assert not list((tmp_path / "lib" / "zoo").rglob("test_*.py"))
    program = "import zoo.web.gallery as found; print(found.gallery_folder())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path / "lib",  # which comes before what is installed
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.strip() == str(web / "apps"), done.stderr


def test_an_archive_of_the_sources_has_the_apps(tmp_path):
    built("sdist", "--formats", "tar", "-d", str(tmp_path), folder=tmp_path)
    with tarfile.open(next(tmp_path.glob("*.tar"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"gallery/{name}/app.py" for name in app_names()} <= names
    assert {"gallery/texts.json", "gallery/building.py"} <= names
    assert "gallery/train_pose/train.py" not in names
