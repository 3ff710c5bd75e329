"""The page of own code names every part outside of the purpose, with its lines."""

import pytest

from tests.rules.own_code import LEAST, PAGE, PURPOSE, files_of, lines_of, parts, rooms

PARTS = list(parts(PAGE.read_text()))


@pytest.mark.parametrize("part", PARTS, ids=[part.what for part in PARTS])
def test_each_part_exists_and_has_about_the_lines_that_the_page_says(part):
    assert all(files_of(pattern) for pattern in part.patterns)
    found = lines_of(*part.patterns)
    assert abs(found - part.lines) <= max(30, found // 10), (
        f"{part.what} has {found} lines: run `python -m tests.rules.own_code --write`"
    )


def test_every_other_room_is_on_the_page():
    named = [pattern for part in PARTS for pattern in part.patterns]
    missing = [
        room
        for room, lines in rooms().items()
        if room not in PURPOSE
        and lines >= LEAST
        and not any(pattern.startswith(room) or room.startswith(f"{pattern}/") for pattern in named)
    ]
    assert not missing, f"say in {PAGE.name} why {missing} is our own code"


def test_rooms_of_the_purpose_exist():
    assert set(PURPOSE) <= {*rooms(), "core/backends"}
