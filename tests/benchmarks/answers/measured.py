"""The modules with tables, by the names that the command takes."""

from tests.benchmarks.answers import (
    classes,
    clips,
    faces,
    hands,
    masks,
    objects,
    persons,
    poses,
    thresholds,
)

_MODULES = (poses, thresholds, clips, faces, objects, persons, masks, hands, classes)

TABLES = {module.__name__.rpartition(".")[2]: module for module in _MODULES}
