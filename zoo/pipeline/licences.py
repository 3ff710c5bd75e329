"""A line about the licences of models from files that restrict what one may do with them."""

import re
import warnings

#: Parts of the names of licences that oblige whoever offers a service, or forbid to earn with it.
_AFFERO = re.compile(r"\bagpl|affero", re.IGNORECASE)
_NON_COMMERCIAL = re.compile(
    r"non[- _]?commercial|\bby[- ]nc\b|research[- ]only|research use only", re.IGNORECASE
)


class LicenceWarning(UserWarning):
    """A model's licence restricts its use; `warnings.filterwarnings` silences it."""


def warn_of_licence(name: str, licence: str, stacklevel: int = 2) -> None:
    """Warn of the licence of a model, if it restricts the use.

    Args:
        name: path or URL of the file.
        licence: its name in the file, or "".
        stacklevel: as for `warnings.warn`, from the caller on.
    """
    restriction = _restriction_of(licence)
    if restriction:
        text = f"{name} is under {licence}: {restriction}"
        warnings.warn(text, LicenceWarning, stacklevel=stacklevel + 1)


def _restriction_of(licence: str) -> str:
    """Return what a licence restricts, in a few words; "" if it is not one of those known here.

    >>> _restriction_of("CC-BY-NC-4.0"), _restriction_of("Apache-2.0")
    ('it is not for commercial use', '')
    """
    if _NON_COMMERCIAL.search(licence):
        return "it is not for commercial use"
    if _AFFERO.search(licence):
        return "programs that offer it, also by a network, must give their source code"
    return ""
