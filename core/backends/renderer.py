"""The renderer of OpenGL: a GPU, or a program that draws by software."""

from typing import NamedTuple

from core.engine.backends import BACKENDS


class Renderer(NamedTuple):
    """The device or program that draws for OpenGL."""

    name: str  #: as the driver names it, such as ``"NVIDIA H100 80GB HBM3/PCIe/SSE2"``
    version: str  #: changes with the device, the driver and the version of OpenGL
    is_software: bool  #: whether the processor draws
    problem: str = ""  #: why there is no context; empty if there is one

    @property
    def is_gpu(self) -> bool:
        """Whether a GPU draws."""
        return not (self.problem or self.is_software)

    def __str__(self) -> str:
        if self.problem:
            return f"OpenGL draws on no GPU: {self.problem}"
        return f"{self.name} draws by software" if self.is_software else self.name


def running_renderer() -> Renderer | None:
    """Return the renderer of the shader backend if it runs in this process."""
    session = getattr(BACKENDS.get("shader"), "_session", None)
    if session is None:
        return None
    device = session.device
    return Renderer(device.name, device.driver, device.is_software)
