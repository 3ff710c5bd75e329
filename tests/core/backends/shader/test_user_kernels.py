"""Kernels of users in GLSL: an expression, a body or passes, with gradients, on both paths."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import core
from core.backends.shader.codegen.kernel_language import MOST_INPUTS, KernelBuilder, Operand
from core.backends.shader.runtime.programs import ShaderError
from core.engine.specs import Spec
from tests.rules.sources import ROOT

pytestmark = pytest.mark.usefixtures("scratch_ops")


def soft_clip_op():
    """The op of the README, without a kernel."""

    @core.op(input_dtype="float32")
    def soft_clip(x: core.Spec, *, limit: float = 1.0) -> core.Spec:
        """Values bent smoothly into -limit..limit."""
        return x

    @soft_clip.gradient("x")
    def soft_clip_gradient(g, y, limit):
        return g * (1.0 - core.square(y / limit))

    return soft_clip


def expression(call, x, limit):
    return f"{float(limit)} * tanh(x / {float(limit)})"


def body(call, x, limit):
    return f"""
    float bent = x / {float(limit)};
    return {float(limit)} * tanh(bent);
    """


def values(call, x, limit):
    return call.each("limit * tanh(x / limit)", x=x, values={"limit": limit})


def passes(call, x, limit):
    bent = call.each("tanh(x * scale)", x=x, values={"scale": 1 / limit})
    return call.each("bent * limit", bent=bent, values={"limit": limit})


def coordinates(call, x, limit):
    flat = x.reshaped(x.spec.size)
    return call.map("limit * tanh(get_flat(o) / limit)", flat=flat, values={"limit": limit})


@pytest.mark.parametrize(
    "name",
    ["x", "value", "o", "out", "input", "filter", "data", "out_data", "NAN", "vec2", "result"],
)
def test_inputs_may_be_called_as_glsl_or_our_programs_call_things(new_path, name):
    @core.op(input_dtype="float32")
    def scaled(x: core.Spec) -> core.Spec:
        """Twice as much."""
        return x

    core.kernel("scaled", "shader")(eval(f"lambda call, {name}: '{name} * 2.0'"))
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(scaled(x).numpy(), x * 2)
    np.testing.assert_array_equal(
        core.add(scaled(x), scaled(x[:, :1])).numpy(), x * 2 + x[:, :1] * 2
    )


@pytest.mark.parametrize(
    "text", ["x * 2.0 // return it", "x /* no\nreturn */ * 2.0", "return x + x; // twice"]
)
def test_comments_are_no_code(new_path, text):
    @core.op(input_dtype="float32")
    def scaled(x: core.Spec) -> core.Spec:
        """Twice as much."""
        return x

    core.kernel("scaled", "shader")(lambda call, x: text)
    assert scaled([1.0, 2.5]).tolist() == [2, 5]


def test_integers_out_of_range_are_refused(new_path):
    soft_clip_op()
    core.kernel("soft_clip", "shader")(lambda call, x, limit: "x * float(limit)")
    assert core.soft_clip([2.0], limit=1 << 20).item() == 1 << 21
    with pytest.raises(
        core.CoreError, match="limit=1099511627776 takes more than 32 bits: give it"
    ):
        core.soft_clip([2.0], limit=1 << 40)


@pytest.mark.parametrize("kernel", [expression, body, values, passes, coordinates])
def test_ways_to_write_one(new_path, rng, kernel):
    soft_clip = soft_clip_op()
    core.kernel("soft_clip", "shader")(kernel)
    for shape, limit in (((3, 5), 2.0), ((), 1.0), ((0,), 1.0), ((2, 3, 4, 1), 0.5)):
        x = rng.normal(size=shape).astype(np.float32)
        y = limit * np.tanh(x / limit)
        np.testing.assert_allclose(soft_clip(x, limit=limit).numpy(), y, atol=1e-5)
        slope = core.grad(lambda x, limit=limit: core.sum(core.soft_clip(x, limit=limit)))(x)
        np.testing.assert_allclose(slope.numpy(), 1 - np.square(y / limit), atol=1e-5)
    assert (soft_clip(1, limit=1) + 0.0).dtype == "float32"  # a whole number becomes a float


def test_integers_and_bools(new_path):
    @core.op()
    def between(x: core.Spec, low: core.Spec, high: core.Spec) -> core.Spec:
        """Whether a number lies between two."""
        return core.Spec(np.broadcast_shapes(x.shape, low.shape, high.shape), "bool")

    core.kernel("between", "shader")(lambda call, x, low, high: "low <= x && x < high")
    assert between([[1, 2, 3], [4, 5, 6]], [2], [[4], [6]]).tolist() == [
        [False, True, True],
        [True, True, False],
    ]
    assert between([0.5], 0.0, 1.0).tolist() == [True]


def test_several_results(new_path, rng):
    @core.op()
    def polar(x: core.Spec, y: core.Spec) -> tuple[core.Spec, core.Spec]:
        """Length and angle."""
        return x, x

    @core.kernel("polar", "shader")
    def polar_on_shader(call, x, y):
        length = call.each("sqrt(x * x + y * y)", x=x, y=y)
        return length, call.each("atan(y, x)", x=x, y=y)

    x, y = rng.normal(size=(2, 7)).astype(np.float32)
    length, angle = polar(x, y)
    np.testing.assert_allclose(length.numpy(), np.hypot(x, y), atol=1e-5)
    np.testing.assert_allclose(angle.numpy(), np.arctan2(y, x), atol=1e-5)


def test_the_code_of_the_document_runs(opengl, tmp_path):
    """All blocks of the engine's document, those that need OpenGL as well."""
    pages = (ROOT / "core" / "docs" / name for name in ("guide.md", "shader.md"))
    text = "\n".join(page.read_text() for page in pages)
    blocks = re.findall(r"```py(?:thon)?\n(.*?)```", text, re.DOTALL)
    file = tmp_path / "document.py"
    file.write_text("\n".join([*blocks, "print('done')"]))
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    world = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, file], env=world, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("done\n") and len(re.findall("```py\n", text)) == 4


# --- what goes wrong ----------------------------------------------------------------------------


def test_a_text_that_does_not_compile_is_shown_in_full(new_path):
    soft_clip = soft_clip_op()
    filling = "\n".join(f"// remark {i} of somebody who explains a lot" for i in range(60))
    core.kernel("soft_clip", "shader")(lambda call, x, limit: f"{filling}\nreturn x * lim;")
    with pytest.raises(ShaderError, match=r"the driver does not compile this shader: .*lim") as e:
        soft_clip([1.0])
    told = str(e.value)
    assert all(f"// remark {i} of" in told for i in range(60))
    numbers = [line.split()[0] for line in told.splitlines()[1:]]
    assert numbers == [str(i + 1) for i in range(len(numbers))] and len(numbers) > 60
    assert core.relu([-1.0]).tolist() == [0]  # the backend goes on


WRONG = {
    "a number": (lambda call, x, limit: 3, "returns a pass for each of its 1 results"),
    "nothing": (lambda call, x, limit: None, "this one returned None"),
    "an operand": (lambda call, x, limit: x, "made by call.map, call.each or call.tile"),
    "two": (
        lambda call, x, limit: (call.each("x", x=x),) * 2,
        "returns a pass for each of its 1 results",
    ),
    "another shape": (
        lambda call, x, limit: call.map("1.0", to=core.Spec((3,))),
        r"gives float32 \(3,\), the op's rule says float32 \(1,\)",
    ),
    "another dtype": (
        lambda call, x, limit: call.map("1", to=core.Spec((1,), "int32")),
        r"gives int32 \(1,\), the op's rule says float32 \(1,\)",
    ),
    "a kernel of cpu": (lambda x, limit: np.tanh(x), "soft_clip failed: .*argument"),
    "an error": (lambda call, x, limit: 1 / 0, "soft_clip failed: division by zero"),
}


@pytest.mark.parametrize("case", WRONG)
def test_kernels_that_return_something_else(new_path, case):
    soft_clip = soft_clip_op()
    kernel, words = WRONG[case]
    core.kernel("soft_clip", "shader")(kernel)
    with pytest.raises(core.CoreError, match=words):
        soft_clip([1.0])


def test_an_op_without_a_kernel_here(new_path):
    soft_clip = soft_clip_op()
    core.kernel("soft_clip", "cpu")(lambda x, limit: np.tanh(x))
    with pytest.raises(
        core.KernelNotFound, match="no kernel 'soft_clip' on backend 'shader'; available on: cpu"
    ):
        soft_clip([1.0])
    core.kernel("soft_clip", "shader")(lambda call, x, limit: "x")
    assert soft_clip([1.0]).tolist() == [1]


def test_built_in_kernels_are_protected_user_kernels_are_not(new_path):
    with pytest.raises(core.CoreError, match="op 'grid_sample' has a kernel on backend 'shader'"):
        core.kernel("grid_sample", "shader")(lambda call, x, grid: "x")
    soft_clip = soft_clip_op()
    for text, expected in (("x + 1.0", 2), ("x + 2.0", 3)):
        core.kernel("soft_clip", "shader")(lambda call, x, limit, text=text: text)
        assert soft_clip([1.0]).tolist() == [expected]


# --- the three that TensorFlow.js has not, as a user may write them -----------------------------


def warp_ops():
    """``my_affine_grid`` and ``my_grid_sample``: bilinear, zeros outside, corners aligned."""

    @core.op(input_dtype="float32")
    def my_affine_grid(theta: core.Spec, *, size: tuple[int, ...]) -> core.Spec:
        """Positions by matrices."""
        return core.Spec((theta.shape[0], *size, 2))

    @core.kernel("my_affine_grid", "shader")
    def affine_grid_on_shader(call, theta, size):
        return call.map(
            """
            float x = 2.0 * float(o2) / float(out_2 - 1) - 1.0;
            float y = 2.0 * float(o1) / float(out_1 - 1) - 1.0;
            return get_theta(o0, o3, 0) * x + get_theta(o0, o3, 1) * y + get_theta(o0, o3, 2);
            """,
            theta=theta,
        )

    @my_affine_grid.gradient("theta")
    def affine_grid_gradient(g, theta):
        def same(theta):
            return core.affine_grid(theta, size=g.shape[1:3], align_corners=True)

        return core.grad(same)(theta, dy=g)

    @core.op(input_dtype="float32")
    def my_grid_sample(x: core.Spec, grid: core.Spec) -> core.Spec:
        """Images at positions."""
        return core.Spec((*grid.shape[:3], x.shape[3]))

    @core.kernel("my_grid_sample", "shader")
    def grid_sample_on_shader(call, x, grid):
        return call.map(
            """
            float across = (get_grid(o0, o1, o2, 0) + 1.0) * 0.5 * float(x_2 - 1);
            float down = (get_grid(o0, o1, o2, 1) + 1.0) * 0.5 * float(x_1 - 1);
            int left = int(floor(across)), top = int(floor(down));
            float sum = 0.0;
            for (int j = 0; j < 2; j++) for (int i = 0; i < 2; i++) {
                int row = top + j, column = left + i;
                if (row < 0 || row >= x_1 || column < 0 || column >= x_2) continue;
                float share = (1.0 - abs(across - float(column))) * (1.0 - abs(down - float(row)));
                sum += share * get_x(o0, row, column, o3);
            }
            return sum;
            """,
            x=x,
            grid=grid,
        )

    @my_grid_sample.gradient("x")
    def into_x(g, x_spec, grid):
        how = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": True}
        return core.grid_sample_backprop_input(g, grid, input_shape=x_spec.shape, **how)

    return my_affine_grid, my_grid_sample


def test_images_read_at_positions(new_path, rng):
    my_affine_grid, my_grid_sample = warp_ops()
    theta = np.array([[[0.7, 0.2, 0.1], [-0.3, 0.9, 0.05]]], np.float32)
    x = rng.normal(size=(1, 5, 6, 3)).astype(np.float32)

    def mine(x, theta):
        return my_grid_sample(x, my_affine_grid(theta, size=(4, 7)))

    def theirs(x, theta):
        grid = core.affine_grid(theta, size=(4, 7), align_corners=True)
        return core.grid_sample(x, grid, align_corners=True)

    with core.backend("cpu"):
        expected = theirs(x, theta).numpy()
        weights = rng.normal(size=expected.shape).astype(np.float32)
        slope = core.grad(lambda x: core.sum(theirs(x, theta) * weights))(x).numpy()
        places = core.grad(lambda t: core.sum(core.affine_grid(t, size=(4, 7)) * 2.0))(theta)
    np.testing.assert_allclose(mine(x, theta).numpy(), expected, atol=1e-5)
    found = core.grad(lambda x: core.sum(mine(x, theta) * weights))(x).numpy()
    np.testing.assert_allclose(found, slope, atol=1e-5)
    found = core.grad(lambda t: core.sum(my_affine_grid(t, size=(4, 7)) * 2.0))(theta)
    np.testing.assert_allclose(found.numpy(), places.numpy(), atol=1e-4)


def test_a_norm_of_several_passes(new_path, rng):
    @core.op(input_dtype="float32")
    def my_instance_norm(
        x: core.Spec, scale: core.Spec | None, *, epsilon: float = 1e-5
    ) -> core.Spec:
        """Each channel of each image by its own mean and variance."""
        return x

    @core.kernel("my_instance_norm", "shader")
    def instance_norm_on_shader(call, x, scale, epsilon):
        each = core.Spec((x.shape[0], 1, 1, x.shape[3]))
        over = "for (int i = 0; i < x_1; i++) for (int j = 0; j < x_2; j++)"
        pixels = {"pixels": float(x.shape[1] * x.shape[2]), "epsilon": epsilon}
        mean = call.map(
            f"float sum = 0.0; {over} sum += get_x(o0, i, j, o3); return sum / pixels;",
            x=x,
            to=each,
            values=pixels,
        )
        factor = call.map(
            f"""
            float sum = 0.0, mean = get_average(o0, 0, 0, o3);
            {over} {{ float away = get_x(o0, i, j, o3) - mean; sum += away * away; }}
            return inversesqrt(sum / pixels + epsilon);
            """,
            x=x,
            average=mean,
            to=each,
            values=pixels,
        )
        text, inputs = "(x - mean) * factor", {"x": x, "mean": mean, "factor": factor}
        return call.each(
            text if scale is None else f"{text} * scale",
            **inputs if scale is None else {**inputs, "scale": scale},
        )

    @my_instance_norm.gradient("x")
    def into_x(g, x, scale, epsilon):
        return core.grad(lambda x: core.instance_norm(x, scale, epsilon=epsilon))(x, dy=g)

    x = rng.normal(size=(2, 3, 4, 5)).astype(np.float32)
    scale = rng.normal(size=5).astype(np.float32)
    dy = rng.normal(size=x.shape).astype(np.float32)
    for given in ((x,), (x, scale)):
        with core.backend("cpu"):
            expected = core.instance_norm(*given).numpy()
            slope = core.grad(lambda x, rest=given[1:]: core.instance_norm(x, *rest))(x, dy=dy)
        np.testing.assert_allclose(my_instance_norm(*given).numpy(), expected, atol=1e-5)
        found = core.grad(lambda x, rest=given[1:]: my_instance_norm(x, *rest))(x, dy=dy)
        np.testing.assert_allclose(found.numpy(), slope.numpy(), atol=1e-5)


def test_too_many_values_and_too_large_numbers_are_refused():
    call, x = KernelBuilder(Spec((2,))), Operand(0, Spec((2,)))
    many = {f"x{i}": x for i in range(MOST_INPUTS + 1)}
    for make in (call.map, call.each):
        with pytest.raises(core.CoreError, match="15 values at most, not 16"):
            make("0.0", **many)
        with pytest.raises(core.CoreError, match=f"by={2**31} takes more than 32 bits"):
            make("x * by", x=x, values={"by": 2**31})
        assert make("x * by", x=x, values={"by": 2**31 - 1}).values == {"by": 2**31 - 1}
