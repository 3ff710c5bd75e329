"""The registry of weight files: their names, lengths, hashes and origin.

``python -m weights_cache.registry INDEX.json`` rewrites ``registry.json`` from the index of a
mirror and from the models in ``bundled/``; what no mirror has is written into ``registry.json``.
"""

import json
import sys
import zlib
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from weights_cache.common.errors import WeightsError
from weights_cache.common.similar_names import close_names
from weights_cache.json_documents import read_json
from weights_cache.paths import require_relative

VERSION_DIGITS = 12
REGISTRY = Path(__file__).with_name("registry.json")
BUNDLED = Path(__file__).with_name("bundled")


class FileRecord(NamedTuple):
    """One weight file: its path in the model's folder, bytes, sha256 and pinned URLs.

    ``derived_from`` is the origin of a file without URLs. ``crc32`` is set for bundled files
    only: a CRC finds damage in a third of the time of sha256 (no start of OpenSSL).
    """

    path: str
    bytes: int
    sha256: str
    urls: tuple[str, ...] = ()
    derived_from: str | None = None
    crc32: int | None = None


class ModelRecord(NamedTuple):
    """One model: its licence, the source and upstream of its files, and the files.

    ``version`` identifies the contents, so that other contents have another folder in the cache;
    a record limited to some of its files keeps the version.
    """

    name: str
    licence: str
    source: str
    upstream: str
    files: tuple[FileRecord, ...]
    bundled: bool = False
    version: str = ""

    @property
    def bytes(self) -> int:
        """Bytes of all files together."""
        return sum(file.bytes for file in self.files)

    def limited_to(self, paths: Collection[str] | None) -> "ModelRecord":
        """Return the record with some of its files only; None means all.

        >>> find_record("posenet-tiny").limited_to(["model.json"]).files[0].path
        'model.json'
        """
        if paths is None:
            return self
        return self._replace(files=tuple(file for file in self.files if file.path in paths))


def find_record(name: str) -> ModelRecord:
    """Return the record of the model ``name``.

    Raises:
        WeightsError: the name is unknown; the message has the most similar names.

    >>> find_record("posenet-tiny").bundled
    True
    """
    rows = _rows(REGISTRY)
    if not isinstance(name, str) or name not in rows:
        raise WeightsError(_unknown(name, list(rows)))
    return _record(rows[name])


def is_registered(name: object) -> bool:
    """Whether ``name`` is the name of a registered model."""
    return isinstance(name, str) and name in _rows(REGISTRY)


def list_records() -> list[ModelRecord]:
    """Return the records of all models, sorted by name.

    >>> "posenet-tiny" in [record.name for record in list_records()]
    True
    """
    return [_record(row) for row in _rows(REGISTRY).values()]


@cache
def _rows(path: Path) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in read_json(path)}


def _record(row: dict[str, Any]) -> ModelRecord:
    files = tuple(_file_record(file, row["name"]) for file in row["files"])
    return ModelRecord(**{**row, "files": files, "version": _version(files)})


def _version(files: Collection[FileRecord]) -> str:
    """Return the first 12 digits of a file's sha256, for several files those of a weighted sum.

    A sum, because starting OpenSSL for another hash takes longer than everything else here.
    """
    total = sum(number * int(file.sha256, 16) for number, file in enumerate(files, 1))
    return f"{total % 2**256:064x}"[:VERSION_DIGITS]


def _file_record(row: dict[str, Any], model: str) -> FileRecord:
    require_relative(row["path"], f"registry, model {model!r}")
    return FileRecord(**{**row, "urls": tuple(row["urls"])})


def _unknown(name: object, names: list[str]) -> str:
    text = str(name)
    close = [known for known in names if text and text.lower() in known][:3]
    close = close or close_names(text.lower(), names, 3, 0.5)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    return f"no registered weights are called {text!r}; {hint}see `weights_cache.list_records`"


def write_registry(index: Path, target: Path = REGISTRY) -> None:
    """Write the registry from a mirror's ``INDEX.json`` and the bundled models.

    Models of the registry that are neither stay in it.
    """
    rows = [_index_row(row) for row in read_json(index)]
    rows += [_bundled_row(folder) for folder in sorted(BUNDLED.iterdir()) if folder.is_dir()]
    found = {row["name"] for row in rows}
    rows += [row for name, row in _rows(REGISTRY).items() if name not in found]
    rows.sort(key=lambda row: row["name"])
    target.write_text(_format(rows), encoding="utf-8", newline="\n")


def _index_row(row: dict[str, Any]) -> dict[str, Any]:
    files = []
    for file in row["files"]:
        kept = {"path": file["file"], "bytes": file["bytes"], "sha256": file["sha256"]}
        kept["urls"] = [file["url"]] if file["url"] else []
        if "derived_from" in file:
            kept["derived_from"] = file["derived_from"]
        files.append(kept)
    return {key: row[key] for key in ("name", "licence", "source", "upstream")} | {"files": files}


def _bundled_row(folder: Path) -> dict[str, Any]:
    import hashlib

    card = read_json(folder / "model.json")["userDefinedMetadata"]
    files = []
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        row = {"path": path.name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        files.append(row | {"urls": [], "crc32": zlib.crc32(data)})
    row = {key: card[key] for key in ("name", "licence", "source", "upstream")}
    return row | {"bundled": True, "files": files}


def _format(rows: list[dict[str, Any]]) -> str:
    """Return the JSON text with one line per file, so that a changed file is one changed line."""
    return "[\n" + ",\n".join(map(_format_model, rows)) + "\n]\n"


def _format_model(row: dict[str, Any]) -> str:
    head = json.dumps({key: row[key] for key in row if key != "files"}, ensure_ascii=False)
    files = ",\n".join("  " + json.dumps(file, ensure_ascii=False) for file in row["files"])
    return f'{head[:-1]}, "files": [\n{files}]}}'


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m weights_cache.registry INDEX.json")
    try:
        write_registry(Path(sys.argv[1]))
    except WeightsError as error:
        sys.exit(f"cannot make the registry: {error}")
