"""``zoo gallery``: the list, wrong names, and what is not installed."""

import subprocess
import sys
import tarfile

import pytest

from tests.helpers import ROOT
from zoo.cli import main
from zoo.web.gallery import app_names

pytest.importorskip("uvicorn", reason="the extra web")


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
        (["pose_mirror", "--host", "no.such.invalid"], "is not an address of this computer"),
        (["pose_mirror", "--certificate", "a.pem", "b.pem"], "'a.pem' cannot be read"),
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
    assert done.stdout.splitlines()[-2:][-1] == "2" and "pose_mirror" in done.stdout
    assert "pip install 'friendly-zoo[web]'" in done.stderr and "Traceback" not in done.stderr


def built(*commands, folder):
    """Run commands of setup.py without a trace in the checkout."""
    pytest.importorskip("setuptools")
    base = ["-q", "egg_info", "--egg-base", str(folder)]
    done = subprocess.run(
        [sys.executable, "setup.py", *base, *commands],
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
    assert not list((tmp_path / "lib").rglob("test_*.py"))
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
    assert "gallery/texts.json" in names and "gallery/train_pose/train.py" not in names
