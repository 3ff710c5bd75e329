"""Weight files: locating, fetching, verifying, reading and writing them.

Nothing heavier than the standard library is imported until a function is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weights_cache.common.errors import MissingError, WeightsError, ZooError
    from weights_cache.kits import Kit, installed_kits
    from weights_cache.loader import load_web_model, load_weights
    from weights_cache.locations import cache_folder
    from weights_cache.packing import write_kit
    from weights_cache.quantise import (
        QuantisedArray,
        StoredArray,
        dequantise_array,
        quantise_array,
    )
    from weights_cache.registry import FileRecord, ModelRecord, find_record, list_records
    from weights_cache.remote import clear_url, locate_url
    from weights_cache.shards import WebModel
    from weights_cache.store import fetch, file_states, locate, status
    from weights_cache.unpacking import InstalledKit, install_kit
    from weights_cache.upkeep import (
        FileReport,
        OldVersion,
        cached_bytes,
        clear,
        clear_old_versions,
        old_versions,
        verify,
    )
    from weights_cache.write import write_weights

#: Public names by module.
_MODULES = {
    "common.errors": ("MissingError", "WeightsError", "ZooError"),
    "kits": ("Kit", "installed_kits"),
    "loader": ("load_web_model", "load_weights"),
    "locations": ("cache_folder",),
    "packing": ("write_kit",),
    "quantise": ("QuantisedArray", "StoredArray", "dequantise_array", "quantise_array"),
    "registry": ("FileRecord", "ModelRecord", "find_record", "list_records"),
    "remote": ("clear_url", "locate_url"),
    "shards": ("WebModel",),
    "store": ("fetch", "file_states", "locate", "status"),
    "unpacking": ("InstalledKit", "install_kit"),
    "upkeep": (
        "FileReport",
        "OldVersion",
        "cached_bytes",
        "clear",
        "clear_old_versions",
        "old_versions",
        "verify",
    ),
    "write": ("write_weights",),
}
_PUBLIC = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "FileRecord",
    "FileReport",
    "InstalledKit",
    "Kit",
    "MissingError",
    "ModelRecord",
    "OldVersion",
    "QuantisedArray",
    "StoredArray",
    "WebModel",
    "WeightsError",
    "ZooError",
    "cache_folder",
    "cached_bytes",
    "clear",
    "clear_old_versions",
    "clear_url",
    "dequantise_array",
    "fetch",
    "file_states",
    "find_record",
    "install_kit",
    "installed_kits",
    "list_records",
    "load_web_model",
    "load_weights",
    "locate",
    "locate_url",
    "old_versions",
    "quantise_array",
    "status",
    "verify",
    "write_kit",
    "write_weights",
]


if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid

    def __getattr__(name: str) -> object:
        if name not in _PUBLIC:
            from weights_cache.common.similar_names import no_attribute

            raise no_attribute(__name__, name, __all__)
        value = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
