"""Photos without people: in how many of them something of a person is found."""

from collections.abc import Callable
from typing import Any

from tests.benchmarks.answers.images import insects, of_nobody
from tests.benchmarks.answers.scope import Scope
from tests.benchmarks.answers.tables import Row, Share

EVERY = 2  # of the insects


def seen_in_nobody(find: Callable[[Any], Any], what: str, scope: Scope) -> Row:
    """Two columns: photos of insects, and of animals, rooms and things, with what is not there."""
    kinds = {"insects": scope.some(list(insects())[::EVERY]), "things": scope.some(of_nobody())}
    return {
        f"{kind} with {what}": Share(sum(bool(find(photo.pixels)) for photo in found), len(found))
        for kind, found in kinds.items()
    }
