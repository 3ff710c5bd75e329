"""No module is named like a public function, and no import breaks a public name."""

import pkgutil
import types
import typing

import pytest

import core
import weights_cache
import zoo
from core import ops
from tests.rules.sources import all_modules


@pytest.mark.parametrize("package", [zoo, core, weights_cache], ids=lambda p: p.__name__)
def test_no_module_is_named_like_a_public_name(package):
    """Importing one would put it in the place of the function, sooner or later."""
    modules = {m.name for m in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)


def test_no_file_of_ops_is_named_like_an_op():
    assert not {m.name for m in pkgutil.iter_modules(ops.__path__)} & set(ops.load_families())


@pytest.mark.parametrize("package", [zoo, core, weights_cache], ids=lambda p: p.__name__)
def test_public_names_survive_the_import_of_every_module(package):
    first = {name: getattr(package, name) for name in package.__all__}
    all_modules()
    for name, value in first.items():
        again = getattr(package, name)
        assert again is value
        assert not isinstance(again, types.ModuleType), f"{package.__name__}.{name}"
        assert callable(again) or typing.get_args(again), f"{package.__name__}.{name}"


@pytest.mark.parametrize("package", [zoo, core, weights_cache], ids=lambda p: p.__name__)
def test_dir_lists_the_public_names(package):
    assert set(package.__all__) <= set(dir(package))
    assert len(set(package.__all__)) == len(package.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = package.no_such_name


def test_lazy_tables_agree_with_the_public_list():
    assert zoo.__all__ == [*zoo._modules()] == sorted(zoo.__all__)
    assert sorted(weights_cache._PUBLIC) == sorted(weights_cache.__all__)


def test_everything_public_is_documented():
    for package in (zoo, core, weights_cache):
        for name in package.__all__:
            value = getattr(package, name)
            alias = bool(typing.get_args(value))  # of a type: a comment beside it says what it is
            assert alias or value.__doc__, f"{package.__name__}.{name}"


def test_the_verbs_work_twice_after_all_imports():
    all_modules()
    photo = "gallery/one_line_pose/astronaut.jpg"
    for _ in range(2):
        pose = zoo.estimate_single_pose(photo)
        assert zoo.draw(photo, zoo.estimate_multiple_poses(photo)).size == (512, 512)
        assert zoo.to_json(pose) and zoo.to_csv(pose)
        assert zoo.load("posenet.tiny").name in zoo.models("posenet.*")
        assert core.slice(core.tensor([1, 2]), begin=(0,), size=(1,)).item() == 1
        assert weights_cache.status("posenet-tiny") == "bundled"
