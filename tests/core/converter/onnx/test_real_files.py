"""Real ONNX files of packages: each equals ONNX Runtime, and one network its other spellings.

Their sources are in `tests.wheels`. Those of repositories (YuNet, UltraFace, FastestDet) are
compared if they are in the folder ``models/onnx`` of the reference files.
"""

from functools import cache

import numpy as np
import pytest

import zoo
from core.errors import KernelNotFound
from tests.helpers import require, shared_folder, start_or_skip
from tests.wheels import wheel_file
from zoo.samples import sample_images

pytestmark = pytest.mark.whole

#: How far an output may be from ONNX Runtime's, in shares of its range.
BOUND = 1e-4

#: Chunks of speech and what came before them, at 16 kHz.
CHUNK = 576

#: The sizes at which CenterFace runs, beside the one that its file declares.
SIZES = [(32, 32), (96, 160), (480, 640)]


@cache
def photo(height, width, is_grey=False):
    """An image from 0 to 255, as networks of PyTorch take it."""
    pixels = sample_images()[0].astype(np.float32)
    rows, columns = (
        np.arange(n) * m // n for n, m in zip((height, width), pixels.shape[:2], strict=True)
    )
    seen = pixels[rows][:, columns].transpose(2, 0, 1)[None]
    return seen.mean(axis=1, keepdims=True) if is_grey else seen


@cache
def speech():
    """Three chunks of a tone that swells, with noise."""
    rng, time = np.random.default_rng(49), np.arange(3 * CHUNK)
    tone = np.sin(time * 0.11) * np.sin(time * 0.01) * 0.4
    return (tone + rng.normal(size=time.size) * 0.02).astype(np.float32).reshape(3, CHUNK)


@cache
def chord():
    """Three tones and noise, at 22 kHz: silence would leave logarithms of nearly nothing."""
    rng, time = np.random.default_rng(49), np.arange(43844) / 22050
    tones = sum(np.sin(2 * np.pi * f * time) for f in (220, 277, 330)) / 4
    return (tones + rng.normal(size=time.size) * 0.05).astype(np.float32).reshape(1, -1, 1)


def codes():
    return np.random.default_rng(49).integers(0, 257, (2, 2048)).astype(np.int32)


def states(count=3):
    return np.zeros((2, count, 128), np.float32)


def vad(rate=16000, length=CHUNK):
    return {"input": speech()[:, :length], "state": states(), "sr": np.array(rate)}


#: A function that gives the inputs, by the name of a file, with what differs between two runs.
INPUTS = {
    "silero_vad": vad,
    "silero_vad 8 kHz": lambda: vad(8000, CHUNK // 2),
    "silero_vad_16k_op15": vad,
    "silero_vad_16k_sequence": lambda: {
        "input": speech(),
        **{name: states(1)[:1] for name in "hc"},
    },
    "silero_vad_half": lambda: {"input": speech(), "state": states()},
    "silero_vad_op18_ifless": vad,
    "silero_vad_openvino_16k": lambda: {"input": speech()[:1], "state": states(1)},
    "magika": lambda: {"bytes": codes()},
    "basic_pitch": lambda: {"serving_default_input_2:0": chord()},
    "rapidocr_det": lambda: {"x": photo(256, 320) / 127.5 - 1},
    "rapidocr_rec": lambda: {"x": photo(48, 320) / 127.5 - 1},
    "rapidocr_cls": lambda: {"x": photo(48, 192) / 127.5 - 1},
    "nudenet": lambda: {"images": photo(320, 320) / 255},
    "ddddocr_common": lambda: {"input1": photo(64, 160, is_grey=True) / 127.5 - 1},
    "ddddocr_common_det": lambda: {"images": photo(416, 416)},
}

#: Those that compute on the shader backend; nothing in the others is of another kind.
ON_SHADER = [
    *("silero_vad_16k_sequence", "silero_vad_op18_ifless", "magika", "basic_pitch"),
    *("rapidocr_cls", "rapidocr_rec"),
]

#: Files of repositories: how they take images.
OF_REPOSITORIES = {
    "yunet_n_320_320": lambda image: image,
    "yunet_s_dynamic": lambda image: image,
    "version-RFB-320": lambda image: (image - 127) / 128,
    "version-slim-320": lambda image: (image - 127) / 128,
    "FastestDet": lambda image: image / 255,
}


def expected_of(file, feeds):
    """The outputs of ONNX Runtime by name; ``file`` is a path or the bytes of one."""
    runtime = require("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    session = runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    types = {end.name: "int64" if "int64" in end.type else None for end in session.get_inputs()}
    given = {name: value.astype(types[name] or value.dtype) for name, value in feeds.items()}
    names = [end.name for end in session.get_outputs()]
    return dict(zip(names, session.run(None, given), strict=True))


def check(found, expected):
    """All outputs are within the bound, in shares of the range of each."""
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        ours = found[name].numpy()
        assert ours.shape == value.shape, name
        extent = np.ptp(value) if value.size > 1 else np.abs(value).max()
        assert np.abs(ours - value).max() <= BOUND * extent, name


@pytest.mark.filterwarnings("ignore::zoo.pipeline.licences.LicenceWarning")
@pytest.mark.parametrize("name", INPUTS)
def test_files_equal_onnx_runtime(name):
    file, feeds = str(wheel_file(name.partition(" ")[0])), INPUTS[name]()
    with zoo.load(file) as model:
        check(model.predict(feeds), expected_of(file, feeds))


@pytest.mark.parametrize("name", ON_SHADER)
def test_files_on_shader(name):
    start_or_skip()
    file, feeds = str(wheel_file(name)), INPUTS[name]()
    with zoo.load(file, backend="shader") as model:
        check(model.predict(feeds), expected_of(file, feeds))


@pytest.mark.parametrize("size", SIZES)
def test_a_network_runs_at_other_sizes_than_its_file_declares(size):
    path = wheel_file("centerface")
    image = photo(*size)
    feeds = {"input.1": image}
    with zoo.load(path, inputs={"input.1": image.shape}) as model:
        check(model.predict(feeds), expected_of(of_any_size(path), feeds))


def of_any_size(path):
    """The bytes of a file in which no axis but the second is of a declared length."""
    onnx = require("onnx")
    model = onnx.load(path)
    del model.graph.value_info[:]
    for end in (model.graph.input[0], *model.graph.output):
        for axis, length in enumerate(end.type.tensor_type.shape.dim):
            if axis != 1:
                length.dim_param = f"{end.name}_{axis}"
    return model.SerializeToString()


def test_an_op_of_onnx_runtime_is_refused_by_name():
    with pytest.raises(KernelNotFound) as caught:
        zoo.load(wheel_file("ddddocr_common_old"))
    for text in ("com.microsoft:DynamicQuantizeLSTM (", "export the model again without"):
        assert text in str(caught.value)


def test_three_spellings_of_a_network_agree():
    """Silero VAD with branches, without them, and with an LSTM over chunks one after another."""
    found = {}
    for name in ("silero_vad", "silero_vad_16k_op15", "silero_vad_op18_ifless"):
        with zoo.load(wheel_file(name)) as model:
            state, chances = states(1), []
            for chunk in speech():
                feeds = {"input": chunk[None], "state": state, "sr": np.array(16000)}
                chance, state = (value.numpy() for value in model.predict(feeds).values())
                chances.append(chance.item())
            found[name] = chances
    with zoo.load(wheel_file("silero_vad_16k_sequence")) as model:
        feeds = INPUTS["silero_vad_16k_sequence"]()
        found["sequence"] = next(iter(model.predict(feeds).values())).numpy().ravel().tolist()
    first = found.pop("silero_vad")
    assert np.ptp(first) > 1e-3  # the chunks are not alike
    for name, chances in found.items():
        np.testing.assert_allclose(chances, first, rtol=0, atol=BOUND, err_msg=name)


def test_one_network_in_three_formats(tmp_path):
    """Basic Pitch as ONNX, TFLite and SavedModel: outputs by their shapes and values."""
    (tmp_path / "variables").mkdir()
    for name, target in {
        "basic_pitch.pb": "saved_model.pb",
        "basic_pitch.index": "variables/variables.index",
        "basic_pitch.data": "variables/variables.data-00000-of-00001",
    }.items():
        (tmp_path / target).write_bytes(wheel_file(name).read_bytes())
    runs = []
    for path in (wheel_file("basic_pitch"), wheel_file("basic_pitch.tflite"), tmp_path):
        with zoo.load(path) as model:
            runs.append([value.numpy() for value in model.predict(chord()).values()])
    for others in runs[1:]:
        assert len(others) == 3
        for value in runs[0]:
            alike = [other for other in others if other.shape == value.shape]
            nearest = min(np.abs(other - value).max() for other in alike)
            assert nearest <= BOUND * np.ptp(value)


@pytest.mark.parametrize("name", OF_REPOSITORIES)
def test_files_of_repositories(name):
    folder = shared_folder()
    path = None if folder is None else folder / "models" / "onnx" / f"{name}.onnx"
    if path is None or not path.is_file():
        pytest.skip(f"{name}.onnx is not among the reference files")
    with zoo.load(path) as model:
        ((key, spec),) = model.inputs.items()
        lengths = [n or 320 for n in spec.shape]
        feeds = {key: OF_REPOSITORIES[name](photo(*lengths[2:]))}
        check(model.predict(feeds), expected_of(str(path), feeds))
