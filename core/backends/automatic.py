"""The meaning of the backend ``"auto"``: the shader backend on a GPU, else cpu.

Of ops this holds as it stands. Models measure which of the two is faster for them: see
`core.graph_model.automatic_model`. OpenGL drawn by software, and tf, are used only when they are
named.
"""

# "from core import" would import all ops.
import core.backends.renderers as renderers
import core.process.code_cache as code_cache
from core.engine.backends import load_backend
from core.errors import CoreError

#: Prefix of the names of files with a measured choice.
CHOICE_FILES = "choice-"

_failures: list[str] = []


def has_gpu() -> bool:
    """Return whether ``"auto"`` may take the shader backend: OpenGL draws on a GPU here."""
    return not _failures and renderers.renderer_here().is_gpu


def backend_of_ops() -> str:
    """Return the name of the backend on which ``"auto"`` runs ops, which can be loaded."""
    if not has_gpu():
        return "cpu"
    try:
        load_backend("shader")
    except CoreError as error:  # the driver of a child process worked
        _failures.append(str(error))
        return "cpu"
    return "shader"


def why_no_gpu() -> str:
    """Return why ``"auto"`` stands for cpu in this process."""
    return _failures[-1] if _failures else str(renderers.renderer_here())


def describe() -> str:
    """Return what ``"auto"`` chooses on this computer, and why, in one line.

    >>> describe().startswith(("cpu: ", "shader for ops: "))
    True
    """
    if not has_gpu():
        return f"cpu: {why_no_gpu()}"
    renderer = renderers.renderer_here()
    count = code_cache.count_of(CHOICE_FILES)
    kept = f"{count} measured before, kept in {code_cache.folder()}"
    if not code_cache.is_usable():
        kept = "measured in each process, as the code cache is not used"
    return f"shader for ops: {renderer}; for models the faster one of shader and cpu: {kept}"
