"""Public names and their parameters stay what they are, or the list of them changes knowingly."""

from tests.rules.public_api import FILE, api


def test_public_names_and_parameters_are_those_of_the_list():
    listed, found = ({*text.splitlines()} for text in (FILE.read_text(encoding="utf-8"), api()))
    gone, new = sorted(listed - found), sorted(found - listed)
    assert not gone and not new, (
        f"gone: {gone}; new: {new}; if that is meant, run python -m tests.rules.public_api"
    )
