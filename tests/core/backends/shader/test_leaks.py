"""Models that come and go leave nothing in OpenGL, whichever thread it is for."""

import gc

import numpy as np
import pytest

import core
from core.engine.backends import load_backend
from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
from core.graph_model.graph_model import GraphModel
from tests.core.backends.shader.conftest import count_objects

SIZE = 5000  # inputs of so many bytes go by way of mapped memory


@pytest.fixture(params=[False, True], ids=["all threads", "one thread"])
def gl_thread(request, opengl):
    core.start_shader(in_this_thread=request.param)
    with core.backend("shader"):
        yield load_backend("shader").session.gl_thread
    core.stop_shader()


def model():
    ends = {name: Endpoint(name, PartialSpec((None, SIZE))) for name in ("x", "y")}
    nodes = [Node("x", "Placeholder"), Node("c", "Const"), Node("y", "AddV2", ("x", "c"))]
    weights = {"c": np.arange(SIZE, dtype=np.float32)}
    return GraphModel(Graph(nodes, weights, {"x": ends["x"]}, {"y": ends["y"]}))


def used(gl_thread, made):
    """Run a model with two shapes, let go of it, and count what OpenGL has then."""
    for rows in (1, 2):
        found = made.predict(np.ones((rows, SIZE), np.float32))["y"].numpy()
        np.testing.assert_array_equal(found, [np.arange(1, SIZE + 1)] * rows)
    del made
    gc.collect()
    core.square(2.0).numpy()  # what the last one left is taken back by the next command
    return count_objects(gl_thread)


def test_models_leak_nothing(gl_thread):
    counts = [used(gl_thread, model()) for _ in range(6)]
    assert counts[2:] == [counts[1]] * 4
