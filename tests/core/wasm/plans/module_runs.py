"""Runs the modules of programs in wasmtime."""

import numpy as np

from tests.helpers import skip_or_fail


def run_module(made, feeds, name="run"):
    """The outputs of a function for arrays by the names of its inputs."""
    try:
        import wasmtime
    except ImportError:
        skip_or_fail("wasmtime is not installed: pip install wasmtime")
    store = wasmtime.Store()
    compiled = wasmtime.Module(store.engine, made.binary())
    exports = wasmtime.Instance(store, compiled, []).exports(store)
    memory = exports["memory"]
    memory.write(store, made.weights, made.weights_address)
    for reference, value in made.functions[name].inputs.items():
        memory.write(store, np.ascontiguousarray(feeds[reference]).tobytes(), value.address)
    exports[name](store)
    return [_read(memory, store, value) for value in made.functions[name].outputs.values()]


def _read(memory, store, value):
    size = int(np.prod(value.shape)) * np.dtype(value.dtype).itemsize
    content = bytes(memory.read(store, value.address, value.address + size))
    return np.frombuffer(content, value.dtype).reshape(value.shape)
