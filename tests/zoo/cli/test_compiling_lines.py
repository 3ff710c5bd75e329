"""Who waits because a model is compiled reads why, once, if there is a person to read it."""

import logging

import pytest

from tests.core.backends.cpu_codegen.tier_choice import choose_freely
from tests.helpers import require_llvmlite
from tests.zoo.cli.test_cli import PHOTO, run
from zoo.cli import compiling_lines
from zoo.cli.compiling_lines import LOGGER_NAME
from zoo.pipeline import model_cache

#: The pose of a small network, as a model of its own that no other test loads.
NETWORK = ("--model", "posenet.tiny", "--option", "input_size=145")


@pytest.fixture
def people_read(monkeypatch):
    monkeypatch.setattr(compiling_lines, "is_read_by_people", lambda: True)


@pytest.fixture
def no_models(monkeypatch):
    monkeypatch.setattr(model_cache, "_kept", {})


def wait_for(seconds: float) -> None:
    """Log as the engine does before it compiles."""
    logging.getLogger(LOGGER_NAME).info("compiling", extra={"seconds": seconds})


def watched(tmp_path, capsys, monkeypatch) -> list[str]:
    """The lines of stderr about compiling, of a session in a computer without compiled code."""
    require_llvmlite()
    choose_freely(monkeypatch, tmp_path / "code")
    (tmp_path / "frames").mkdir()
    for name in ("1.jpg", "2.jpg"):
        (tmp_path / "frames" / name).symlink_to(PHOTO)
    status, _, lines = run(capsys, "watch", str(tmp_path / "frames"), "--events", *NETWORK)
    assert status == 0
    return [line for line in lines if "compiled" in line]


def test_a_session_says_on_a_terminal_that_its_model_is_compiled(
    tmp_path, capsys, monkeypatch, people_read, no_models
):
    monkeypatch.setattr(compiling_lines, "_SHORT", 0.0)
    (line,) = watched(tmp_path, capsys, monkeypatch)
    assert line.startswith("zoo: posenet.tiny is compiled, once for this computer, which takes")


def test_nothing_is_said_in_pipes_but_programs_may_listen(
    tmp_path, capsys, monkeypatch, no_models, caplog
):
    caplog.set_level(logging.INFO, LOGGER_NAME)
    assert watched(tmp_path, capsys, monkeypatch) == []
    said = [record for record in caplog.records if record.name == LOGGER_NAME]
    assert said and all(record.seconds > 0 for record in said)
    assert "once for this computer" in said[0].getMessage()


def test_a_line_for_each_model_that_is_waited_for(capsys, people_read, no_models):
    with compiling_lines.announcing_compilation():
        wait_for(compiling_lines._SHORT / 2)
        wait_for(2.4)
        wait_for(1.0)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["zoo: the network is compiled"]
    assert "some 2 s" in lines[0]


def test_the_logger_is_left_as_it_was(people_read):
    logger = logging.getLogger(LOGGER_NAME)
    before = logger.level, [*logger.handlers]
    with compiling_lines.announcing_compilation():
        assert logger.isEnabledFor(logging.INFO)
    assert (logger.level, logger.handlers) == before
