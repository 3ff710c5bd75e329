"""Writing kits: weights of several models as one zip file, or as a wheel that pip installs.

Both hold a mirror, one folder per model with the registered files, and documents about it. Members
are not compressed and have a constant date, so that equal contents give equal bytes.
"""

import hashlib
import json
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from weights_cache.atomic_files import replacing, require_space, writing_to
from weights_cache.common.archive_damage import ZIP_DAMAGE
from weights_cache.common.errors import WeightsError
from weights_cache.kits import GROUP, MIRROR
from weights_cache.locations import PathLike
from weights_cache.read_back import not_written
from weights_cache.registry import FileRecord, ModelRecord, find_record
from weights_cache.regular_files import open_regular
from weights_cache.store import locate

MANIFEST = "KIT.json"  # marks the root of a kit
PACKAGE = "friendly_zoo_weights"
_FORMAT = "friendly-zoo weights 1"
_ADVICE = "choose another folder"
_BLOCK = 2**20
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip file

Content = bytes | tuple[Path, FileRecord]


class Wheel(NamedTuple):
    """Metadata of a wheel: version, summary line, and a page in Markdown."""

    version: str
    summary: str
    page: str

    @property
    def file_name(self) -> str:
        """The file name that pip requires.

        >>> Wheel("1.0", "", "").file_name
        'friendly_zoo_weights-1.0-py3-none-any.whl'
        """
        return f"{PACKAGE}-{self.version}-py3-none-any.whl"


def write_kit(
    target: PathLike,
    models: Mapping[str, Collection[str] | None],
    documents: Mapping[str, str],
    *,
    wheel: Wheel | None = None,
    **locations: Any,
) -> Path:
    """Write weights of registered models as one file, and return its path.

    Args:
        target: the file to write; for a wheel the folder, as pip determines the file's name.
        models: from names of the registry to paths of files in the model, or None for all files.
        documents: texts to include, by their names in the kit.
        wheel: metadata of a wheel; None writes a plain zip file.
        locations: ``cache``, ``mirror``, ``offline`` and ``progress``, as for ``locate``; missing
            files are fetched.

    Raises:
        WeightsError: weights cannot be fetched, or the file cannot be written, or not be read
            back; an existing file is unchanged.
    """
    path = Path(target, wheel.file_name) if wheel else Path(target)
    members = dict(_members(models, documents, locations))
    if wheel:
        members = _wheel_members(members, wheel)
    needed = sum(map(_size, members.values()))
    with writing_to(path.parent, needed, _ADVICE):
        require_space(path.parent, needed, _ADVICE)
        check = partial(_check_kit, members)
        with replacing(path, check=check) as stream, zipfile.ZipFile(stream, "w") as zipped:
            for name, content in members.items():
                _add(zipped, name, content)
    return path


def _members(
    models: Mapping[str, Collection[str] | None],
    documents: Mapping[str, str],
    locations: Mapping[str, Any],
) -> Iterator[tuple[str, Content]]:
    """Yield names and contents of the kit, documents first."""
    found = {name: locate(name, only=models[name], **locations) for name in sorted(models)}
    records = [find_record(name).limited_to(found[name]) for name in found]
    for name, text in documents.items():
        yield name, text.encode()
    yield MANIFEST, _manifest(records)
    for record in records:
        for file in record.files:
            yield f"{record.name}/{file.path}", (found[record.name][file.path], file)


def _manifest(records: Collection[ModelRecord]) -> bytes:
    models = {
        record.name: {
            "licence": record.licence,
            "source": record.source,
            "upstream": record.upstream,
            "files": {f.path: {"bytes": f.bytes, "sha256": f.sha256} for f in record.files},
        }
        for record in records
    }
    text = json.dumps({"format": _FORMAT, "models": models}, indent=1, ensure_ascii=False)
    return f"{text}\n".encode()


def _wheel_members(kit: Mapping[str, Content], wheel: Wheel) -> dict[str, Content]:
    """Return the members of a wheel: the kit as a package, and the metadata of pip."""
    about = f"{PACKAGE}-{wheel.version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: friendly-zoo-weights\nVersion: {wheel.version}\n"
        f"Summary: {wheel.summary}\nRequires-Python: >=3.10\n"
        f"Description-Content-Type: text/markdown\n\n{wheel.page}"
    )
    tags = "Wheel-Version: 1.0\nGenerator: friendly-zoo\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    members: dict[str, Content] = {
        f"{PACKAGE}/__init__.py": f'"""{wheel.summary}"""\n'.encode(),
        **{f"{PACKAGE}/{MIRROR}/{name}": content for name, content in kit.items()},
        f"{about}/METADATA": metadata.encode(),
        f"{about}/WHEEL": tags.encode(),
        f"{about}/entry_points.txt": f"[{GROUP}]\nweights = {PACKAGE}\n".encode(),
    }
    rows = [f"{name},sha256={_digest(c)},{_size(c)}\n" for name, c in members.items()]
    rows.append(f"{about}/RECORD,,\n")
    return {**members, f"{about}/RECORD": "".join(rows).encode()}


def _digest(content: Content) -> str:
    """Return the sha256 in the encoding of wheels."""
    if isinstance(content, bytes):
        digest = hashlib.sha256(content).digest()
    else:
        digest = bytes.fromhex(content[1].sha256)
    return _as_text(digest)


def _as_text(digest: bytes) -> str:
    return urlsafe_b64encode(digest).decode().rstrip("=")


def _size(content: Content) -> int:
    return len(content) if isinstance(content, bytes) else content[1].bytes


def _add(zipped: zipfile.ZipFile, name: str, content: Content) -> None:
    member = zipfile.ZipInfo(name, _DATE)
    member.external_attr = 0o644 << 16
    member.create_system = 3  # Unix, also where this is written on Windows
    member.file_size = _size(content)
    with zipped.open(member, "w") as sink:
        for block in [content] if isinstance(content, bytes) else _checked_blocks(*content):
            sink.write(block)


def _check_kit(members: Mapping[str, Content], path: Path) -> None:
    """Raise a WeightsError unless a new kit has these members."""
    try:
        with zipfile.ZipFile(path) as zipped:
            found = {name: _digest_in(zipped, name) for name in zipped.namelist()}
    except (*ZIP_DAMAGE, ValueError) as error:
        raise not_written(str(error)) from error
    if found != {name: _digest(content) for name, content in members.items()}:
        raise not_written("it has other members")


def _digest_in(zipped: zipfile.ZipFile, name: str) -> str:
    digest = hashlib.sha256()
    with zipped.open(name) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return _as_text(digest.digest())


def _checked_blocks(path: Path, file: FileRecord) -> Iterator[bytes]:
    """Yield the content of a file; raise WeightsError at its end if its hash is wrong."""
    digest = hashlib.sha256()
    with open_regular(path) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            yield block
    if digest.hexdigest() != file.sha256:
        raise WeightsError(f"{path} changed while it was copied: run `zoo weights verify`")
