"""Kits: written from toys, read by nobody who trusts them, installed as packages are."""

import hashlib
import io
import json
import os
import stat
import sys
import zipfile

import numpy as np
import pytest

from tests.weights_cache.test_disks import give_space
from tests.weights_cache.test_verification import count_hashes
from tests.weights_cache.toys import flip_byte, make_older, settle, toy_row
from weights_cache import (
    WeightsError,
    clear,
    fetch,
    file_states,
    install_kit,
    installed_kits,
    locate,
    packing,
    status,
    upkeep,
    verify,
    write_kit,
)

LABELS = b"cat dog"
WHEEL = packing.Wheel("1.0+w0", "Toys", "# Toys\n")


@pytest.fixture
def toys(toy):
    """The toy model with a second file."""
    toy.server.files["/labels"] = LABELS
    rows = [
        toy_row(toy.data, "weights.bin", [f"{toy.server.url}/toy/weights.bin"]),
        toy_row(LABELS, "sub/labels.txt", [f"{toy.server.url}/labels"]),
    ]
    toy.register_files(rows)
    return toy


@pytest.fixture
def kit(toys, tmp_path):
    """A kit of the toy, whose cache is empty again and whose server is gone."""
    path = write_kit(tmp_path / "kit.zip", {"toy": None}, {"README.md": "how\n"})
    clear()
    toys.server.add("status", 404)
    return path


def members(path):
    with zipfile.ZipFile(path) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def spoilt(path, target, changes=(), **options):
    """The kit with members added, replaced or (None) left out."""
    contents = {**members(path), **dict(changes)}
    with zipfile.ZipFile(target, "w", **options) as zipped:
        for name, data in contents.items():
            if data is not None:
                zipped.writestr(name, data)
    return target


# Writing


def test_a_kit_is_a_mirror_with_documents_and_hashes(toys, kit, tmp_path):
    found = members(kit)
    assert list(found) == ["README.md", "KIT.json", "toy/weights.bin", "toy/sub/labels.txt"]
    assert found["toy/weights.bin"] == toys.data and found["README.md"] == b"how\n"
    (model,) = json.loads(found["KIT.json"])["models"].values()
    digest = hashlib.sha256(LABELS).hexdigest()
    assert model["files"]["sub/labels.txt"] == {"bytes": 7, "sha256": digest}
    assert model["licence"] == "none"
    with zipfile.ZipFile(kit) as zipped:
        zipped.extractall(tmp_path / "unpacked")
    assert locate("toy", mirror=tmp_path / "unpacked", offline=True)


def test_equal_contents_are_equal_bytes(toys, tmp_path):
    first = write_kit(tmp_path / "1.zip", {"toy": None}, {"README.md": "how\n"}).read_bytes()
    os.utime(toys.path, (10**9, 10**9))
    again = write_kit(
        tmp_path / "2.zip", {"toy": ["weights.bin", "sub/labels.txt"]}, {"README.md": "how\n"}
    )
    assert again.read_bytes() == first


def test_only_selected_weights_are_packed(toys, tmp_path):
    path = write_kit(tmp_path / "kit.zip", {"toy": ["sub/labels.txt"]}, {})
    assert list(members(path)) == ["KIT.json", "toy/sub/labels.txt"]
    assert list(json.loads(members(path)["KIT.json"])["models"]["toy"]["files"]) == [
        "sub/labels.txt"
    ]


def test_a_kit_that_cannot_be_written_leaves_the_old_one(toys, kit, tmp_path, monkeypatch):
    before = kit.read_bytes()
    toys.server.heal()
    locate("toy")
    with monkeypatch.context() as patch:
        give_space(patch, 1234)
        with pytest.raises(WeightsError, match="is full"):
            write_kit(kit, {"toy": None}, {})
    real = packing._checked_blocks

    def changed(path, file):
        flip_byte(path, 3)
        return real(path, file)

    monkeypatch.setattr(packing, "_checked_blocks", changed)
    with pytest.raises(WeightsError, match="changed while it was copied"):
        write_kit(kit, {"toy": None}, {})
    assert kit.read_bytes() == before
    assert not list(tmp_path.glob("*.tmp"))
    with pytest.raises(WeightsError, match="cannot write to .*nowhere"):
        write_kit(tmp_path / "nowhere" / "kit.zip", {"toy": None}, {})


def test_a_kit_with_other_bytes_leaves_the_old_one(toys, kit, monkeypatch):
    """A fault of the writer, for which the kit is read back."""
    before = kit.read_bytes()
    toys.server.heal()
    locate("toy")
    real = packing._checked_blocks
    monkeypatch.setattr(
        packing, "_checked_blocks", lambda *file: [bytes(len(b"".join(real(*file))))]
    )
    with pytest.raises(WeightsError, match="cannot be read back .it has other members"):
        write_kit(kit, {"toy": None}, {})
    assert kit.read_bytes() == before


def test_unavailable_weights_make_no_kit(toys, kit, tmp_path):
    with pytest.raises(WeightsError, match="is not on this machine"):
        write_kit(tmp_path / "other.zip", {"toy": None}, {})
    assert not (tmp_path / "other.zip").exists()


# Installing


@pytest.mark.parametrize("form", ["zip", "folder", "nested", "wheel"])
def test_a_kit_is_installed_into_the_cache(toys, kit, tmp_path, form):
    if form == "folder":
        zipfile.ZipFile(kit).extractall(tmp_path / "unpacked")
        kit = tmp_path / "unpacked"
    elif form == "nested":
        packed = {f"kit/{name}": data for name, data in members(kit).items()}
        kit = spoilt(kit, tmp_path / "n.zip", {**dict.fromkeys(members(kit)), **packed})
    elif form == "wheel":
        kit = write_wheel(toys, tmp_path)
    installed = install_kit(kit)
    assert installed == ({"toy": ("weights.bin", "sub/labels.txt")}, ())
    assert status("toy") == "cached"
    assert fetch("toy", offline=True)["weights.bin"].read_bytes() == toys.data
    assert [r.problem for r in verify("toy")] == [None, None]
    assert toys.path in upkeep_files(toys)


def upkeep_files(toys):
    assert upkeep.cached_bytes() == len(toys.data) + len(LABELS)
    return list(toys.folder.iterdir())


def write_wheel(toys, folder):
    toys.server.heal()
    path = write_kit(folder, {"toy": None}, {"README.md": "how\n"}, wheel=WHEEL)
    clear()
    toys.server.add("status", 404)
    return path


def test_valid_files_are_kept_and_damaged_ones_replaced(toys, kit):
    install_kit(kit)
    before = toys.path.stat().st_ino
    labels = toys.folder / "sub" / "labels.txt"
    labels.write_bytes(b"dog cat")
    install_kit(kit)
    assert toys.path.stat().st_ino == before
    assert labels.read_bytes() == LABELS


def test_unknown_models_are_left_out_and_named(toys, kit, tmp_path):
    path = spoilt(kit, tmp_path / "new.zip", {"newer/weights.bin": b"1", "cards/toy.txt": b"2"})
    assert install_kit(path).ignored == ("newer",)
    assert not (toys.cache / "newer").exists()
    zipfile.ZipFile(path).extractall(tmp_path / "unpacked")
    assert install_kit(tmp_path / "unpacked").ignored == ("newer",)


def damaged_kits():
    yield "another hash", {"toy/weights.bin": bytes(300_000)}, "not the registered file .wrong hash"
    yield "too short", {"toy/weights.bin": b"1"}, "has 1 bytes instead of the registered 300000"
    yield "too long", {"toy/weights.bin": bytes(300_001)}, "has 300001 bytes instead"
    yield "no manifest", {"KIT.json": None}, "has no file KIT.json"
    yield "nothing known", {"toy/weights.bin": None, "toy/sub/labels.txt": None}, "holds no weights"
    for name in ("../evil", "/evil", "a/../../evil", "c:evil", "a\\evil"):
        yield f"the name {name}", {name: b"1"}, "only relative names inside the folder"


@pytest.mark.parametrize("case", list(damaged_kits()), ids=lambda case: case[0])
def test_damaged_and_unsafe_kits_are_refused_before_anything_is_copied(toys, kit, tmp_path, case):
    _, changes, words = case
    with pytest.raises(WeightsError, match=words):
        install_kit(spoilt(kit, tmp_path / "bad.zip", changes))
    assert not toys.cache.exists() or not list(toys.cache.rglob("*.bin"))
    assert not list(tmp_path.rglob("evil"))


def test_a_bomb_is_refused_by_what_it_declares_and_by_what_it_holds(toys, kit, tmp_path):
    bomb = {"toy/weights.bin": bytes(50_000_000)}
    path = spoilt(kit, tmp_path / "bomb.zip", bomb, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 100_000
    with pytest.raises(WeightsError, match="has 50000000 bytes instead"):
        install_kit(path)
    declared = (50_000_000).to_bytes(4, "little")
    lying = path.read_bytes().replace(declared, (300_000).to_bytes(4, "little"))
    path.write_bytes(lying)
    with pytest.raises(WeightsError, match="cannot be read as a kit|not the registered file"):
        install_kit(path)
    assert not toys.path.exists()


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packing_without_a_limit_is_refused(toys, kit, tmp_path, how):
    with pytest.raises(WeightsError, match="its compression method is not supported"):
        install_kit(spoilt(kit, tmp_path / "bad.zip", compression=how))


def test_deflated_kits_are_read(toys, kit, tmp_path):
    """Somebody has unpacked it and packed it again."""
    path = spoilt(kit, tmp_path / "small.zip", compression=zipfile.ZIP_DEFLATED)
    install_kit(path)
    assert status("toy") == "cached"


def test_links_in_a_kit_are_refused(toys, kit, tmp_path):
    path = spoilt(kit, tmp_path / "link.zip")
    with zipfile.ZipFile(path, "a") as zipped:
        link = zipfile.ZipInfo("toy/link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(link, "/etc/passwd")
    with pytest.raises(WeightsError, match="holds the link 'toy/link'"):
        install_kit(path)
    folder = tmp_path / "unpacked" / "toy"
    folder.mkdir(parents=True)
    (tmp_path / "outside.bin").write_bytes(toys.data)
    (folder / "weights.bin").symlink_to(tmp_path / "outside.bin")
    with pytest.raises(WeightsError, match="outside"):
        install_kit(tmp_path / "unpacked")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_duplicate_name_is_refused(toys, kit, tmp_path):
    path = spoilt(kit, tmp_path / "twice.zip")
    with zipfile.ZipFile(path, "a") as zipped:
        zipped.writestr("toy/weights.bin", b"1")
    with pytest.raises(WeightsError, match="holds 'toy/weights.bin' twice"):
        install_kit(path)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"no zip at all", bytes(10_000)])
def test_other_files_than_zip_are_refused(toys, tmp_path, data):
    (tmp_path / "kit.zip").write_bytes(data)
    with pytest.raises(WeightsError, match="cannot be read as a kit"):
        install_kit(tmp_path / "kit.zip")


def test_a_spoilt_kit_gives_the_right_bytes_or_an_error_of_ours(toys, kit, tmp_path):
    """Flipped bytes and cut ends of the archive, whose directory stands at its end."""
    rng = np.random.default_rng(8)
    whole = kit.read_bytes()
    for turn in range(60):
        data = bytearray(whole)
        at = int(rng.integers(len(data) - 600, len(data)) if turn % 3 else rng.integers(len(data)))
        data[at] ^= int(rng.integers(1, 256))
        bad = tmp_path / "bad.zip"
        bad.write_bytes(data if turn % 5 else data[:at])
        try:
            install_kit(bad)
        except WeightsError:
            continue
        paths = [toys.cache / "toy" / name for name in ("weights.bin", "sub/labels.txt")]
        right = [toys.data, LABELS]
        assert all(p.read_bytes() == d for p, d in zip(paths, right, strict=True) if p.exists())
        clear()


# Installed packages


@pytest.fixture
def package(toys, tmp_path, monkeypatch):
    """The toy's wheel as pip unpacks it, in a folder of packages."""
    folder = tmp_path / "site-packages"
    zipfile.ZipFile(write_wheel(toys, tmp_path)).extractall(folder)
    init = folder / "friendly_zoo_weights" / "__init__.py"
    init.write_text("raise RuntimeError('kits run no code')\n")
    for path in folder.rglob("*"):
        make_older(path)
    monkeypatch.syspath_prepend(str(folder))
    return folder / "friendly_zoo_weights" / "mirror"


def test_a_wheel_lists_its_files_with_their_hashes(toys, tmp_path):
    path = write_wheel(toys, tmp_path)
    assert path.name == "friendly_zoo_weights-1.0+w0-py3-none-any.whl"
    found = members(path)
    about = "friendly_zoo_weights-1.0+w0.dist-info"
    rows = [row.split(",") for row in found[f"{about}/RECORD"].decode().splitlines()]
    assert [row[0] for row in rows] == list(found)
    for name, digest, size in rows[:-1]:
        assert int(size) == len(found[name])
        data = hashlib.sha256(found[name]).digest()
        assert digest == "sha256=" + packing.urlsafe_b64encode(data).decode().rstrip("=")
    metadata = found[f"{about}/METADATA"].decode()
    assert "Name: friendly-zoo-weights\nVersion: 1.0+w0\n" in metadata


def test_an_installed_kit_is_found_without_running_its_code(package):
    (kit,) = [kit for kit in installed_kits() if kit.folder == package]
    assert kit.name == "friendly-zoo-weights 1.0+w0"
    assert "friendly_zoo_weights" not in sys.modules


def test_installed_kits_come_before_the_network_and_are_left_in_place(toys, package):
    assert status("toy") == "kit"
    assert locate("toy")["weights.bin"] == package / "toy" / "weights.bin"
    assert fetch("toy")["weights.bin"] == package / "toy" / "weights.bin"
    assert not toys.path.exists()
    assert verify("toy")[0].location == package / "toy" / "weights.bin"
    toys.server.heal()
    (package / "toy" / "sub" / "labels.txt").unlink()
    assert file_states("toy") == {"weights.bin": "kit", "sub/labels.txt": "missing"}
    assert locate("toy")["sub/labels.txt"] == toys.folder / "sub" / "labels.txt"
    assert status("toy") == "cached"


def test_files_of_a_kit_are_hashed_once_and_noted_in_the_users_folder(toys, package, monkeypatch):
    before = sorted(package.rglob("*"))
    settle(monkeypatch)
    hashed = count_hashes(monkeypatch)
    for _ in range(3):
        locate("toy", only=["weights.bin"])
    assert hashed == [package / "toy" / "weights.bin"]
    assert toys.notes.is_file()
    assert sorted(package.rglob("*")) == before
    assert clear("toy") == 0
    assert not toys.notes.exists() and not (toys.cache / "toy").exists()


def test_a_damaged_file_of_a_kit_is_skipped(toys, package):
    toys.server.heal()
    flip_byte(package / "toy" / "weights.bin")
    assert locate("toy")["weights.bin"] == toys.path
    assert toys.path.read_bytes() == toys.data


def test_packages_without_their_declared_kit_are_skipped(tmp_path, monkeypatch):
    about = tmp_path / "site" / "broken-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        f"[{packing.GROUP}]\na = no_such_package\nb = json\nc = os.path\n"
    )
    before = installed_kits()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert installed_kits() == before


def test_a_kit_that_is_installed_meanwhile_is_found(toys, tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    make_older(folder)
    before = installed_kits()
    zipfile.ZipFile(io.BytesIO(write_wheel(toys, tmp_path).read_bytes())).extractall(folder)
    assert len(installed_kits()) == len(before) + 1


def test_a_bundled_model_asks_for_no_packages():
    """Reading what all packages declare takes longer than loading the model."""
    from subprocess import run

    code = (
        "import sys, weights_cache; weights_cache.load_weights('posenet-tiny');"
        "assert not {'importlib.metadata', 'weights_cache.kits'} & sys.modules.keys()"
    )
    run([sys.executable, "-c", code], check=True)
