"""Files that grow by lines: the old one stays until there is a line, half lines are cut."""

import os
import threading

import pytest

from core.process.line_files import LineFile
from tests.helpers import PATIENCE


def test_the_old_file_stays_until_the_first_line(tmp_path):
    path, link = tmp_path / "log.jsonl", tmp_path / "link"
    path.write_text("old\n")
    link.symlink_to(path)
    file = LineFile(link)
    assert path.read_text() == "old\n"
    file.write("1\n")
    assert path.read_text() == "1\n"
    file.write("2\n3\n")
    assert path.read_text() == "1\n2\n3\n" and link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "log.jsonl"]


@pytest.mark.parametrize(
    "before, after", [("a\nb\n", "a\nb\n"), ("a\nb", "a\n"), ("a", ""), ("", ""), (None, "")]
)
def test_a_half_line_is_cut(tmp_path, before, after):
    path = tmp_path / "log"
    if before is not None:
        path.write_text(before)
    LineFile(path, append=True).write("new\n")
    assert path.read_text() == f"{after}new\n"


def test_a_half_line_of_a_long_file_is_cut(tmp_path):
    whole = b"x" * 3_000_000 + b"\n"
    (tmp_path / "log").write_bytes(whole + b"y" * 2_500_000)
    LineFile(tmp_path / "log", append=True)
    assert (tmp_path / "log").read_bytes() == whole


def test_a_folder_that_takes_no_file(tmp_path, monkeypatch):
    """What may be written to is, though it cannot be replaced; else it is an error at once."""
    path = tmp_path / "log"
    path.write_text("old\n")
    monkeypatch.setattr(os, "access", lambda *_: False)
    file = LineFile(path)
    assert path.read_text() == "old\n"
    file.write("1\n")
    file.write("2\n")
    assert path.read_text() == "1\n2\n"
    with pytest.raises(FileNotFoundError):
        LineFile(tmp_path / "no" / "log")
    with pytest.raises(IsADirectoryError):
        LineFile(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_written_to_and_stays(tmp_path):
    path, found = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_text()), daemon=True)
    reader.start()
    file = LineFile(path)
    file.write("1\n")
    file.write("2\n")
    file.close()
    reader.join(PATIENCE)
    assert found == ["1\n2\n"] and path.is_fifo()
