"""Models as folders and pages for any web host: `publish`."""

import os
import re
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from weights_cache import find_record
from weights_cache.atomic_files import replace_files, replacing
from weights_cache.common.errors import ZooError
from zoo.catalog.entries import find, model_class, verb_options
from zoo.catalog.entry import Entry
from zoo.catalog.option import OWN, Option
from zoo.pipeline.model import Model
from zoo.pipeline.model_cache import load
from zoo.publishing.joined_scripts import joined_script, joined_types
from zoo.publishing.module import compile_networks, described, networks_record
from zoo.publishing.pages import PageParts, folder_page, page_style, single_page
from zoo.publishing.recipes import publishable, recipe_of, require_recipe
from zoo.publishing.recipes.recipe import Recipe
from zoo.publishing.stored_weights import KINDS, store_weights

_SHARDS = re.compile(r"weights-\d+\.bin")


class Published(NamedTuple):
    """The files that `publish` wrote.

    Attributes:
        path: the folder, or the page of ``single_file``.
        bytes: the sizes of the files by name, weights among them.
        element: the tag that runs the model, such as ``"zoo-pose"``.
    """

    path: Path
    bytes: Mapping[str, int]
    element: str

    @property
    def code_bytes(self) -> int:
        """Bytes that a browser loads beside the weights: one module, script, page and style."""
        beside = {
            name: size
            for name, size in self.bytes.items()
            if not _SHARDS.fullmatch(name) and name not in ("relaxed.wasm", "zoo.d.ts")
        }
        return sum(beside.values())


def publish(
    model: "str | Model",
    out: str | os.PathLike[str],
    *,
    page: bool = False,
    single_file: bool = False,
    quantise: str | None = None,
    overwrite: bool = False,
    **options: Any,
) -> Published:
    """Write a model for web pages: one WebAssembly module, its weights, and a script.

    The folder works on any web host, without a network, too, and nothing leaves the page::

        import { load } from "./zoo.js";
        const model = await load();
        console.log(model.find(document.querySelector("img")));

    The script has the decoder of the task, with the names of tfjs-models and the results of the
    functions of `zoo`; ``zoo.d.ts`` has its types.

    Args:
        model: the name of a pretrained model, or one that `load` gave.
        out: the folder to write to; with ``single_file`` a file that ends in ``.html``.
        page: whether to write ``index.html``, too, with camera, files and a drawing of the results.
        single_file: whether to write a page alone, with all in it, which opens without a server.
        quantise: ``"float16"`` or ``"uint8"`` for weights of a half or a quarter of the size.
        overwrite: whether to replace files in a folder that is not empty, or the page.
        options: of loading the model, such as ``output_stride=8`` of a PoseNet.

    Returns:
        The path, and the sizes of the files.

    Raises:
        ZooError: the model cannot be published, or the target is not free.
        WeightsError: the weights of the model cannot be had.

    >>> import zoo, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     published = zoo.publish("posenet.tiny", folder, page=True, quantise="float16")
    >>> sorted(published.bytes)
    ['index.html', 'model.wasm', 'page.css', 'relaxed.wasm', 'weights-1.bin', 'zoo.d.ts', 'zoo.js']
    """
    _check_options(page=page, single_file=single_file, quantise=quantise)
    target = _page_target(out, overwrite) if single_file else _folder_target(out, overwrite)
    is_own = isinstance(model, Model)
    loaded = _checked(model, options) if isinstance(model, Model) else _loaded(model, options)
    try:
        recipe = recipe_of(loaded)
        modules = compile_networks(recipe.networks)
        weights = store_weights(modules.simd, quantise)
        files: dict[str, bytes] = {}
        for name, made in (("model.wasm", modules.simd), ("relaxed.wasm", modules.relaxed)):
            description = {
                **_facts(loaded, recipe),
                "networks": networks_record(made, recipe.networks, modules.outputs),
                "weights": {**weights.record, "address": made.weights_address},
            }
            files[name] = described(made, description)
        script = joined_script(recipe)
        parts = PageParts(loaded.entry, recipe, script)
    finally:
        if not is_own:
            loaded.close()
    if single_file:
        return _write_page(target, single_page(parts, files, weights.shards), recipe)
    files = {**weights.shards, **files, "zoo.d.ts": joined_types(recipe), "zoo.js": script}
    if page:
        files |= {"page.css": page_style(), "index.html": folder_page(parts)}
    return _write_folder(target, files, recipe)


def _check_options(*, page: bool, single_file: bool, quantise: str | None) -> None:
    """Raise for options that do not go together, or a kind of quantisation that is unknown."""
    if page and single_file:
        raise ZooError("page and single_file exclude each other: the single file is a page")
    if quantise is not None and quantise not in KINDS:
        raise ZooError(f"quantise={quantise!r} must be one of {', '.join(KINDS)}")


def _loaded(name: Any, options: Mapping[str, Any]) -> Model:
    """Return a pretrained model that can be published, loaded for the backend cpu."""
    entry = find(name)
    if not isinstance(entry, Entry):
        raise ZooError(
            f"{name!r} is a file or folder, and files cannot be published yet; "
            f"these models can: {', '.join(publishable())}"
        )
    require_recipe(entry)
    model: Model = load(entry.name, backend="cpu", **options)
    return model


def _checked(model: Model, options: Mapping[str, Any]) -> Model:
    """Return a model of the caller's that can be published."""
    if options:
        raise ZooError(f"options of loading, such as {next(iter(options))!r}, go to zoo.load")
    if model.backend != "cpu":
        raise ZooError(
            f"the model runs on backend {model.backend!r}, and modules are made of plans for the "
            f"cpu: load it with backend='cpu'"
        )
    require_recipe(model.entry)
    return model


def _facts(model: Model, recipe: Recipe) -> dict[str, object]:
    """Return what a page has to know of a model beside its networks and weights."""
    entry = model.entry
    facts: dict[str, object] = {
        "model": entry.name,
        "title": entry.title,
        "licence": find_record(entry.weights).licence,
        "task": entry.task,
        "options": {_camel_case(verb): _options_of(entry, verb, recipe) for verb in recipe.verbs},
        "decode": recipe.decode,
        "labels": recipe.labels,
    }
    if recipe.skeleton:
        facts["skeleton"] = recipe.skeleton._asdict()
    return facts


def _options_of(entry: Entry, verb: str, recipe: Recipe) -> dict[str, object]:
    """Return the options of a verb by their names in scripts, with this model's defaults."""
    taken = signature(getattr(model_class(entry), verb)).parameters
    return {
        _camel_case(name): _option_record(option, entry.default_of(verb, name))
        for name, option in verb_options(verb).items()
        if name in taken and name not in recipe.left_out
    }


def _option_record(option: Option, own: float | None) -> dict[str, object]:
    default = own if option.default is OWN else option.default
    limits = {"low": option.low, "high": option.high}
    known = {name: limit for name, limit in limits.items() if limit is not None}
    return {"type": option.type, "default": default, **known}


def _camel_case(name: str) -> str:
    """Return a name as JavaScript writes it.

    >>> _camel_case("max_poses")
    'maxPoses'
    """
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _page_target(out: str | os.PathLike[str], overwrite: bool) -> Path:
    """Return the path of a page that may be written."""
    path = Path(out)
    if path.suffix.lower() not in (".html", ".htm"):
        raise ZooError(
            "single_file writes one page: give a name that ends in .html, such as "
            f"{f'{path}.html'!r}"
        )
    if path.exists() and not overwrite:
        raise ZooError(f"there is a {path}: give another name, or overwrite=True")
    _require_parent(path)
    return path


def _folder_target(out: str | os.PathLike[str], overwrite: bool) -> Path:
    """Return the path of a folder that may be written to, and need not exist."""
    path = Path(out)
    if path.suffix.lower() in (".html", ".htm", ".wasm", ".zip"):
        raise ZooError(f"{path} is to be a folder: give a name without {path.suffix}")
    if path.exists() and not path.is_dir():
        raise ZooError(f"cannot write to {path}: it is a file, give a folder")
    if path.is_dir() and not overwrite:
        first = next(path.iterdir(), None)
        if first is not None:
            raise ZooError(
                f"{path} is not empty, it holds {first.name}: give another folder, or "
                "overwrite=True, which replaces the files of an earlier publication"
            )
    _require_parent(path)
    return path


def _require_parent(path: Path) -> None:
    parent = path.absolute().parent
    if not parent.is_dir():
        raise ZooError(f"there is no folder {parent} to write {path.name} into: make it first")


def _write_page(path: Path, content: bytes, recipe: Recipe) -> Published:
    with replacing(path) as stream:
        stream.write(content)
    return Published(path, {path.name: len(content)}, recipe.element)


def _write_folder(folder: Path, files: Mapping[str, bytes], recipe: Recipe) -> Published:
    """Write the files; shards of an earlier publication that had more of them go."""
    folder.mkdir(exist_ok=True)
    replace_files(folder, {name: [content] for name, content in files.items()})
    for old in folder.iterdir():
        if _SHARDS.fullmatch(old.name) and old.name not in files:
            old.unlink()
    sizes = {name: len(content) for name, content in files.items()}
    return Published(folder, sizes, recipe.element)
