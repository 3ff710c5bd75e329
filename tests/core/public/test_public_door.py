"""What a program outside of the package finds in `core`, and may add to it."""

import inspect
import pkgutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import core
from core.engine.registry import FUNCTIONS, OPS
from core.public.namespaces import NAMESPACES, names_in
from tests.helpers import start_or_skip
from tests.rules.sources import ROOT


def run(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert not done.returncode, done.stderr
    return done.stdout


def test_models_are_public_and_imported_late():
    code = """
        import sys, core
        late = {"core.converter", "core.graph.nodes", "core.plan.plan"}
        late |= {"core.graph_model.graph_model"}
        print(late & {*sys.modules})
        print(core.GraphModel.__name__, core.converter.load_model is core.load_model)
        node = core.Node("y", "Neg", ("x",))
        x, y = (core.Endpoint(name, core.PartialSpec((None,))) for name in "xy")
        graph = core.Graph([core.Node("x", "Placeholder"), node], {}, {"x": x}, {"y": y})
        print(core.GraphModel(graph).predict([1.0])["y"].tolist())
    """
    assert run(code).splitlines() == ["set()", "GraphModel True", "[-1.0]"]


#: Names as TensorFlow.js spells them, or misspelt, in namespaces with those that are meant.
SPELLINGS = (
    ("losses", "meanSquaredError", "mean_squared_error"),
    ("losses", "MeanSquaredErrors", "MeanSquaredError"),
    ("metrics", "binaryAccuracy", "binary_accuracy"),
    ("optimizers", "AdamWW", "AdamW"),
    ("initializers", "glorotUniform", "glorot_uniform"),
    ("regularizers", "l1l2", "l1_l2"),
    ("constraints", "maxNorm", "max_norm"),
    ("callbacks", "earlyStopping", "early_stopping"),
    ("plots", "lineChart", "line_chart"),
    ("data", "fromCsv", "from_csv"),
    ("train", "adm", "adam"),
    ("utils", "toCategorical", "to_categorical"),
    ("layers", "denze", "dense"),
)


def test_similar_names():
    for name, meant in (("softmx", "softmax"), ("load_modell", "load_model"), ("Tensr", "Tensor")):
        with pytest.raises(AttributeError, match=rf"did you mean core\.{meant}\?"):
            getattr(core, name)
    with pytest.raises(AttributeError, match=r"did you mean core.image.resize_bilinear\?"):
        _ = core.image.resize_bilinar
    for namespace, name, meant in SPELLINGS:
        with pytest.raises(AttributeError, match=rf"did you mean core\.{namespace}\.{meant}\?"):
            getattr(getattr(core, namespace), name)
    with pytest.raises(AttributeError, match="has no attribute '__wrapped__'$"):
        _ = core.__wrapped__


def test_signatures_are_those_of_calls():
    assert str(inspect.signature(core.relu)) == "(x: TensorLike) -> Tensor"
    assert "Spec" not in repr(core.sum) and "-> Tensor" in repr(core.sum)
    for op in OPS.values():
        signature = inspect.signature(op)
        assert [*signature.parameters] == [*op.inputs, *op.attributes], op.name
        assert "Spec" not in str(signature), op.name
        for name in op.attributes:
            default = signature.parameters[name].default
            assert default is inspect.Parameter.empty or default == op.defaults[name], op.name


@pytest.mark.parametrize("name", sorted(NAMESPACES))
def test_namespaces_are_views(name):
    namespace = getattr(core, name)
    assert dir(namespace) == names_in(name) and namespace.__doc__
    for inner in dir(namespace):
        assert getattr(namespace, inner) is getattr(core, inner)
    files = {module.name for module in pkgutil.iter_modules(core.__path__)}
    assert name not in {**OPS, **FUNCTIONS} and name not in files
    assert run(f"from core.{name} import {dir(namespace)[0]}; import core.{name}") == ""


def test_namespaces_have_what_tensorflow_js_has():
    assert {"band_part", "gram_schmidt", "qr"} <= {*dir(core.linalg)}
    assert {"fft", "ifft", "rfft", "irfft", "frame", "stft", "hann_window"} <= {*dir(core.signal)}
    of_images = {"crop_and_resize", "flip_left_right", "non_max_suppression", "transform"}
    assert of_images | {"resize_bilinear", "threshold"} <= {*dir(core.image)}


def test_a_tensor_of_a_flat_list(backend):
    for values in ([1, 2, 3, 4, 5, 6], [[1, 2, 3], [4, 5, 6]], np.arange(1, 7)):
        assert core.tensor(values, (2, 3)).tolist() == [[1, 2, 3], [4, 5, 6]]
    assert core.tensor([1, 2], (2, 1), "float32").dtype == "float32"
    assert core.tensor([1, 2], "float32").shape == core.tensor([1, 2], dtype="float32").shape
    assert core.tensor([], (0, 3)).shape == (0, 3) and core.tensor([5], ()).item() == 5
    assert core.tensor(core.ones((4,)), (2, 2)).shape == (2, 2)
    assert core.tensor([[1, 2, 3, 4]], (1, 2, 2)).shape == (1, 2, 2)
    for values, shape in (([1, 2, 3], (2, 2)), ([[1, 2], [3, 4]], (1, 4)), ([1], (-1,))):
        with pytest.raises(core.CoreError, match="do not fill the shape"):
            core.tensor(values, shape)
    with pytest.raises(core.CoreError, match="got two dtypes"):
        core.tensor([1], "int32", "float32")


@pytest.mark.parametrize(
    ("values", "where"),
    [
        ([[1, 2], [3]], r"\[0\] has 2 values and \[1\] has 1 value:"),
        ([[1, 2], 3], r"\[0\] has 2 values and \[1\] is a number:"),
        ([[[1], [2]], [[3], [4, 5]]], r"\[1, 0\] has 1 value and \[1, 1\] has 2 values:"),
    ],
)
def test_ragged_lists(values, where):
    with pytest.raises(core.CoreError, match=f"different lengths, {where} pad them"):
        core.tensor(values)


def test_epsilon(backend):
    assert core.epsilon() == core.engine.settings.active_backend().epsilon > 0


def test_a_dtype_is_named_as_it_was_given():
    nodes = [core.Node("x", "Placeholder"), core.Node("y", "Neg", ("x",))]
    x, y = (core.Endpoint(name, core.PartialSpec((None,))) for name in "xy")
    model = core.GraphModel(core.Graph(nodes, {}, {"x": x}, {"y": y}))
    with pytest.raises(core.CoreError, match="got .* and uint8, which becomes int32: convert it"):
        model.predict(np.uint8([1]))


def test_a_backend_from_outside_of_the_package():
    code = """
        import numpy as np
        import core

        class Doubling(core.Backend):
            name, epsilon = "doubling", 1e-7
            def upload(self, array): return array
            def download(self, handle, spec): return handle
            def view(self, handle, spec): return handle.reshape(spec.shape)
            def run(self, op, kernel, handles, attributes, result, clock=None):
                return kernel(*handles)
            def spec_of(self, handle): return core.Spec(handle.shape)

        made = []
        core.register_backend("doubling", lambda: made.append(1) or Doubling())
        assert not made and "doubling" in core.engine.backends.backend_names()

        @core.kernel("add", "doubling")
        def add(a, b):
            return 2 * (a + b)

        with core.backend("doubling"):
            print(core.add(1.0, 2.0).item(), core.get_backend())
            try:
                core.mul(1.0, 2.0)
            except core.KernelNotFound as error:
                print("available on: cpu" in str(error))
        print(core.add(1.0, 2.0).item(), len(made))
        for name in ("cpu", "shader"):
            try:
                core.register_backend(name, Doubling)
            except core.CoreError as error:
                print(error)
        core.register_backend("doubling", Doubling)  # of this module again
        other = lambda: Doubling()
        other.__module__ = "another"
        try:
            core.register_backend("doubling", other)
        except core.CoreError as error:
            print(error)
        core.register_backend("doubling", other, replace=True)
    """
    assert run(code).splitlines() == [
        "6.0 doubling",
        "True",
        "3.0 1",
        "there is a backend 'cpu' already: choose another name",
        "there is a backend 'shader' already: choose another name",
        "there is a backend 'doubling' of the module __main__ already: choose another name, or "
        "pass replace=True",
    ]


REPLACING = """
    import numpy as np
    import core
    from core import Endpoint, Graph, Node, PartialSpec

    w = np.float32([[1.0, -2.0], [3.0, 4.0]])
    nodes = [
        Node("x", "Placeholder"), Node("w", "Const"), Node("p", "MatMul", ("x", "w")),
        Node("n", "Neg", ("p",)), Node("y", "Relu", ("n",)), Node("z", "AddV2", ("y", "one")),
        Node("one", "Const"),
    ]
    x = Endpoint("x", PartialSpec((None, 2)))
    y = Endpoint("z", PartialSpec((None, 2)))
    graph = Graph(nodes, {"w": w, "one": np.float32(1)}, {"x": x}, {"y": y})
    model = core.GraphModel(graph, backend=BACKEND)
    given = np.float32([[1.0, 1.0]])

    def show():
        values = model.predict(given)["y"].numpy()
        assert (model.predict(given)["y"].numpy() == values).all()
        print(*values[0], *(s.op for s in model.plan(given).steps))

    show()
    try:
        core.kernel("neg", BACKEND)(np.abs)
    except core.CoreError as error:
        print(error)

    @core.kernel("neg", BACKEND, replace=True)
    def first(FIRST

    show()

    @core.kernel("neg", BACKEND, replace=True)
    def second(SECOND

    show()
    core.kernel("matmul", BACKEND, replace=True)(MATMUL)
    show()
"""


KERNELS = {
    "cpu": {
        "FIRST": "x):\n        return x * 10",
        "SECOND": "x):\n        return x * 100",
        "MATMUL": "lambda a, b, transpose_a, transpose_b: a @ b * 2",
    },
    "shader": {
        "FIRST": 'call, x):\n        return "x * 10.0"',
        "SECOND": 'call, x):\n        return "x * 100.0"',
        "MATMUL": """lambda call, a, b, transpose_a, transpose_b: call.map(
            "2.0 * (get_a(o0, 0) * get_b(0, o1) + get_a(o0, 1) * get_b(1, o1))", a=a, b=b
        )""",
    },
}


@pytest.mark.parametrize("backend", KERNELS)
def test_plans_call_a_kernel_that_replaces_another(backend):
    """It is neither fused nor lowered; ops around it are fused; a later kernel is called, too."""
    if backend == "shader":
        start_or_skip()
    code = REPLACING.replace("BACKEND", repr(backend))
    for name, text in KERNELS[backend].items():
        code = code.replace(name, text)
    assert run(code).splitlines() == [
        "1.0 1.0 matmul",
        f"op 'neg' has a kernel on backend {backend!r} already: replace=True takes its place",
        "41.0 21.0 matmul neg",
        "401.0 201.0 matmul neg",
        "801.0 401.0 matmul neg",
    ]


PADDED = """
    import numpy as np
    import core
    from core import Endpoint, Graph, Node, PartialSpec

    nodes = [
        Node("x", "Placeholder"), *(Node(name, "Const") for name in ("sides", "w", "b", "none")),
        Node("pad", "Pad", ("x", "sides")),
        Node("conv", "Conv2D", ("pad", "w"), {"strides": [1, 1, 1, 1], "padding": "VALID"}),
        Node("sum", "BiasAdd", ("conv", "b")), Node("relu", "Relu", ("sum",)),
        Node("same", "Pad", ("relu", "none")),
    ]
    weights = {
        "sides": np.int32([[0, 0], [1, 1], [1, 1], [0, 0]]), "none": np.zeros((4, 2), np.int32),
        "w": np.ones((3, 3, 1, 1), np.float32), "b": np.float32([1.0]),
    }
    x = Endpoint("x", PartialSpec((1, 1, 1, 1)))
    y = Endpoint("same", PartialSpec((1, 1, 1, 1)))
    model = core.GraphModel(Graph(nodes, weights, {"x": x}, {"y": y}), backend=BACKEND)
    given = np.float32([[[[2.0]]]])

    def show():
        steps = model.plan(given).steps
        print(model.predict(given)["y"].item(), *("+".join([s.op, *s.fused]) for s in steps))

    show()
    core.kernel("relu", BACKEND, replace=True)(RELU)
    show()
    core.kernel("add", BACKEND, replace=True)(ADD)
    show()
    core.kernel("pad", BACKEND, replace=True)(PAD)
    show()
"""


FUSED_KERNELS = {
    "cpu": {
        "RELU": "lambda x: x * 10",
        "ADD": "lambda x, y: x + y + 4",
        "PAD": "lambda x, paddings, constant_value: np.pad(x + 1, paddings)",
    },
    "shader": {"RELU": 'lambda call, x: "x * 10.0"', "ADD": 'lambda call, x, y: "x + y + 4.0"'},
}


@pytest.mark.parametrize("backend", FUSED_KERNELS)
def test_plans_call_replaced_kernels_that_were_fused_dropped_or_merged(backend):
    """Bias and activation of a fused node, padding of a convolution, and padding by nothing."""
    if backend == "shader":
        start_or_skip()
    code = PADDED.replace("BACKEND", repr(backend))
    for name, text in FUSED_KERNELS[backend].items():
        code = code.replace(name, text)
    if backend == "shader":
        code = code[: code.index('    core.kernel("pad"')]
    assert run(code).splitlines() == [
        "3.0 conv2d+add+relu",
        "30.0 conv2d+add relu",
        "70.0 conv2d add relu",
        *(["81.0 pad conv2d add relu pad"] if backend == "cpu" else ()),
    ]
