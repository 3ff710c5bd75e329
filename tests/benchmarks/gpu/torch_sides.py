"""PyTorch's ways to run a module: eager, as a CUDA graph, and compiled; without CUDA on the cpu.

Input and outputs go the way that a user would best take: by page-locked memory, in the memory
format of the network, with conversions to half precision on the GPU.
"""

import copy
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import torch

#: Outputs up to so many bytes are copied out of page-locked memory that is kept; a copy of larger
#: ones would cost more than page-locked memory of their own, which PyTorch recycles.
SMALL = 1 << 16

WARM_UP_CALLS = 5


class Way(NamedTuple):
    """How PyTorch runs a network."""

    how: str  # "eager", "graph" or "compile"
    channels_last: bool = False
    tf32: bool = False
    half: bool = False

    @property
    def layout(self) -> torch.memory_format:
        """Of images."""
        return torch.channels_last if self.channels_last else torch.contiguous_format


#: The CUDA graph in fp32 is what all others are compared with.
REFERENCE = "torch graph"

EAGER_AND_GRAPHS = {
    "torch eager": Way("eager"),
    REFERENCE: Way("graph"),
    "torch graph, channels last": Way("graph", channels_last=True),
    "torch graph, TF32": Way("graph", tf32=True),
    "torch graph, TF32, channels last": Way("graph", channels_last=True, tf32=True),
    "torch graph, fp16": Way("graph", half=True),
    "torch graph, fp16, channels last": Way("graph", channels_last=True, half=True),
}
COMPILED_FP32 = {
    "torch compile": Way("compile"),
    "torch compile, channels last": Way("compile", channels_last=True),
}
COMPILED_HALF = {"torch compile, fp16": Way("compile", half=True)}

#: By what ``--compile`` says.
WAYS: dict[str, dict[str, Way]] = {
    "none": EAGER_AND_GRAPHS,
    "fp32": {**EAGER_AND_GRAPHS, **COMPILED_FP32},
    "all": {**EAGER_AND_GRAPHS, **COMPILED_FP32, **COMPILED_HALF},
}
WITHOUT_CUDA = {"torch eager": Way("eager"), "torch eager, channels last": Way("eager", True)}


def has_cuda() -> bool:
    """Whether PyTorch has a GPU here."""
    return torch.cuda.is_available()


def ways(compile: str) -> dict[str, Way]:
    """What can be compared here."""
    return WAYS[compile] if has_cuda() else WITHOUT_CUDA


def choose_tf32(allowed: bool) -> None:
    """Let products and convolutions be rounded to TF32, or not; cuDNN always tries its kernels."""
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = allowed


class Converted(torch.nn.Module):
    """A module in half precision, between float32 values."""

    def __init__(self, module: torch.nn.Module):
        super().__init__()
        self.module = module.half()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """The outputs."""
        return tuple([output.float() for output in self.module(x.half())])


class TorchSide:
    """One way to run a module on pictures [batch, height, width, channels]."""

    def __init__(self, module: torch.nn.Module, pictures: np.ndarray, way: Way):
        self._way, cuda = way, has_cuda()
        self.begin()
        module = copy.deepcopy(module)
        module = Converted(module) if way.half else module
        self._module = module.to("cuda" if cuda else "cpu").to(memory_format=way.layout)
        self._given = pictures if way.channels_last else pictures.transpose(0, 3, 1, 2).copy()
        self._pinned = torch.empty(self._given.shape, pin_memory=cuda)
        self._pinned_array = self._pinned.numpy()
        self._source = self._pinned.permute(0, 3, 1, 2) if way.channels_last else self._pinned
        self._x = torch.empty_like(self._source, device="cuda" if cuda else "cpu")
        self._kept: dict[int, torch.Tensor] = {}
        self._forward = self._prepared()

    def begin(self) -> None:
        """What PyTorch keeps for the whole process."""
        choose_tf32(self._way.tf32)

    def run(self) -> list[np.ndarray]:
        """From the pictures to the outputs, channels second."""
        np.copyto(self._pinned_array, self._given)
        self._x.copy_(self._source, non_blocking=True)
        fetched = [self._fetched(i, output) for i, output in enumerate(self._forward())]
        if has_cuda():
            torch.cuda.current_stream().synchronize()
        return [t.numpy().copy() if i in self._kept else t.numpy() for i, t in enumerate(fetched)]

    def gpu_seconds(self, repeat: int) -> float:
        """Of one run among some that follow each other, without the way to the GPU and back."""
        return seconds_of(self._forward, repeat)

    def _prepared(self) -> Callable[[], Sequence[torch.Tensor]]:
        """A call that runs the network on what was uploaded."""
        np.copyto(self._pinned_array, self._given)
        self._x.copy_(self._source)
        makers = {"eager": self._eager, "graph": self._graph, "compile": self._compiled}
        return makers[self._way.how]()

    def _eager(self) -> Callable[[], Sequence[torch.Tensor]]:
        def forward() -> Sequence[torch.Tensor]:
            with torch.inference_mode():
                return self._module(self._x)

        forward()
        return forward

    def _graph(self) -> Callable[[], Sequence[torch.Tensor]]:
        forward = self._eager()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UP_CALLS):
                forward()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs = forward()

        def replay() -> Sequence[torch.Tensor]:
            graph.replay()
            return outputs

        return replay

    def _compiled(self) -> Callable[[], Sequence[torch.Tensor]]:
        compiled = torch.compile(self._module, mode="reduce-overhead")

        def forward() -> Sequence[torch.Tensor]:
            torch.compiler.cudagraph_mark_step_begin()
            with torch.no_grad():
                return compiled(self._x)

        for _ in range(WARM_UP_CALLS):
            forward()
        return forward

    def _fetched(self, number: int, output: torch.Tensor) -> torch.Tensor:
        """An output on its way to the host."""
        if not has_cuda():
            return output
        host = self._kept.get(number)
        if host is None:
            host = torch.empty_like(output, device="cpu", pin_memory=True)
            if host.nbytes <= SMALL:
                self._kept[number] = host
        return host.copy_(output, non_blocking=True)


def seconds_of(call: Callable[[], Any], repeat: int) -> float:
    """Seconds that one of some calls takes on the GPU; without one by the clock."""
    if not has_cuda():
        started = perf_counter()
        for _ in range(repeat):
            call()
        return (perf_counter() - started) / repeat
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(repeat):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / repeat
