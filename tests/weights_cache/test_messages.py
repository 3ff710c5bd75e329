"""Lines on stderr, and text from strangers."""

import io
import sys

import pytest

from weights_cache.common.messages import is_read_by_people, say, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, also 写 é ’", "plain, also 写 é ’"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b2J\x7f\x00\r", "\\x9b2J\\x7f\\x00\\r"),
        ("photo\u202egpj.exe", "photo\\u202egpj.exe"),
        ("\u2066a\u2069\u200b\ufeff\u2028", "\\u2066a\\u2069\\u200b\\ufeff\\u2028"),
        ("\U000e0041", "\\U000e0041"),
        ("a\tb\nc", "a\tb\nc"),
        ("👩\u200d💻 می\u200cخواهم\xa0", "👩\u200d💻 می\u200cخواهم\xa0"),
    ],
)
def test_terminal_controls_are_escaped(text, shown):
    assert visible(text) == shown


def test_line_ends_are_escaped_in_single_lines():
    assert visible("a\tb\nc \x1b", lines=False) == "a\\tb\\nc \\x1b"


def test_messages_go_to_stderr_alone(capsys, monkeypatch):
    say("a\x1bb")
    assert capsys.readouterr() == ("", "a\\x1bb\n")
    monkeypatch.setattr(sys, "stderr", None)
    say("dropped")
    assert capsys.readouterr().out == "" and not is_read_by_people()


def test_a_stderr_that_takes_nothing_is_no_error(monkeypatch):
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(28, "No space left on device")

    for stream in (Full(), closed := io.StringIO()):
        closed.close()
        monkeypatch.setattr(sys, "stderr", stream)
        say("dropped")
