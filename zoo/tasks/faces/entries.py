"""The pretrained face models."""

from typing import Any, NamedTuple

from zoo.catalog.entry import Entry, Preprocess
from zoo.catalog.option import Option, Options, by_name
from zoo.shared.anchors import DETECTOR_DEFAULTS, AnchorGrid


class Refinement(NamedTuple):
    """Facts by which `RefinedBlazeFace` refines the faces that its detector proposes."""

    grid: AnchorGrid  # of the refining network
    proposal_threshold: float = 0.3  # least score of a proposal; most are no faces
    scale: float = 3.0  # side of the region that is refined, in sides of the proposed box
    reach: float = 1.0  # how far off a face may be, in sides of the proposed box
    sure: float = 0.85  # score from which on a face is not looked at upside down
    margin: float = 0.05  # by which the score of a face is higher upside down if it is inverted
    inverted_threshold: float = 0.8  # least score of a face that is seen only upside down


class Looks(NamedTuple):
    """Facts by which `ThoroughBlazeFace` looks at an image several times.

    Its steps of scores are such that one threshold is as right in all looks.
    """

    grid: AnchorGrid  # of the network that looks at heads
    people_threshold: float = 0.2  # least score of a person whose head is looked at
    step: float = 0.05  # scores in parts of the image count that much less, of heads more
    nested: float = 0.5  # of two faces that share more of the smaller one the worse goes


# Expressions, age and gender are read from a box about the 68 points, as in face-api.js.
READERS = {
    "points68": "faceapi.landmark68",
    "expressions": "faceapi.expression",
    "age_gender": "faceapi.age_gender",
}

_FULL_DEFAULTS = {**DETECTOR_DEFAULTS, "score_threshold": 0.6}

# --- MediaPipe's: strides, anchors, thresholds and ranges as in its modules/face_detection ------


def _blazeface(
    variant: str, weights: str, grid: AnchorGrid, title: str, limits: str, file: str = ""
) -> Entry:
    return Entry(
        name=f"blazeface.{variant}",
        task="faces",
        model="detectors:BlazeFace",
        weights=weights,
        file=file,
        preprocess=Preprocess(size=(grid.size, grid.size), divide=127.5, subtract=1.0),
        output=grid.regressors[0],
        decode=grid,
        defaults=_FULL_DEFAULTS if variant.startswith("full") else DETECTOR_DEFAULTS,
        title=title,
        parts=READERS,
        limits=limits,
    )


def _grid(strides: tuple[int, ...], size: int) -> AnchorGrid:
    """Return the grid of a network of TensorFlow.js, whose outputs are split by stride."""
    regressors, scores = ("Identity_2", "Identity_3"), ("Identity", "Identity_1")
    return AnchorGrid(regressors, scores, keypoints=6, strides=strides, size=size)


_FULL_GRID = AnchorGrid(
    ("Identity",), ("Identity_1",), keypoints=6, strides=(4,), size=192, per_cell=1
)

# Measured with five faces, pasted in all sizes into an image of an empty room.
_NARROW = "Misses faces that are narrower than about 1/{} of the image's longer side."

_SHORT = _blazeface(
    "short",
    "mediapipe-face-detection-tflite",
    AnchorGrid(
        ("regressors",), ("classificators",), keypoints=6, strides=(8, 16, 16, 16), size=128
    ),
    "BlazeFace for faces within 2 m of the camera, 6 keypoints, by MediaPipe",
    f"{_NARROW.format(10)} Takes faces of some dogs for human ones.",
    "face_detection_short_range.tflite",
)

_BLAZEFACES = [
    _SHORT,
    _blazeface(
        "full",
        "mediapipe-face-detection-tflite",
        _FULL_GRID,
        "BlazeFace for faces within 5 m of the camera, 6 keypoints, by MediaPipe",
        _NARROW.format(15),
        "face_detection_full_range_sparse.tflite",
    ),
    _blazeface(
        "full_dense",
        "mediapipe-face-detection-full-range-tflite",
        _FULL_GRID._replace(
            regressors=("reshaped_regressor_face_4",), scores=("reshaped_classifier_face_4",)
        ),
        "BlazeFace for faces within 5 m of the camera, not made sparse, by MediaPipe",
        _NARROW.format(15),
        "face_detection_full_range.tflite",
    ),
    _blazeface(
        "front",
        "blazeface-front-tfjs-float",
        _grid((8, 16, 16, 16), 128),
        "BlazeFace of TensorFlow.js: the network of blazeface.short in another format",
        _NARROW.format(10),
    ),
    _blazeface(
        "back",
        "blazeface-tfjs-float",
        _grid((16, 32, 32, 32), 256),
        "BlazeFace for cameras on the back of phones, 6 keypoints, by MediaPipe",
        f"{_NARROW.format(30)} Boxes of the smallest are off by half a face. Takes faces of "
        "some cats, dogs and birds for human ones.",
    ),
]


def _detector(default: str, choices: tuple[str, ...]) -> Options:
    meaning = "the model that finds the faces"
    return by_name(Option("detector", "model", meaning, default, choices=choices))


_PROPOSERS = ("blazeface.back", "blazeface.full", "faceapi.tiny_detector")

_BLAZEFACES.append(
    _SHORT._replace(
        name="blazeface.refined",
        model="detectors:RefinedBlazeFace",
        decode=Refinement(_SHORT.decode),
        defaults={**DETECTOR_DEFAULTS, "score_threshold": 0.7},
        title="BlazeFace in two steps: blazeface.back proposes, blazeface.short confirms",
        parts={"detector": "blazeface.back", **READERS},
        options=_detector("blazeface.back", _PROPOSERS),
        limits=f"{_NARROW.format(30)} In crowds it misses a third of the faces: those that are "
        "small, turned away or half hidden.",
    )
)

_BLAZEFACES.append(
    next(entry for entry in _BLAZEFACES if entry.name == "blazeface.full")._replace(
        name="blazeface.thorough",
        model="thorough:ThoroughBlazeFace",
        decode=Looks(_FULL_GRID),
        defaults={**DETECTOR_DEFAULTS, "score_threshold": 0.7},
        title="BlazeFace in several looks: at the whole, at four parts, at the heads of people",
        parts={"detector": "blazeface.refined", "people": "topdown.people", **READERS},
        limits=f"{_NARROW.format(50)} It takes five times as long as blazeface.refined, and sees "
        "twice as many faces where none is.",
    )
)

_DETECTORS = (*(entry.name for entry in _BLAZEFACES), "faceapi.tiny_detector")


def _found_by(detector: str, **more: str) -> dict[str, Any]:
    """Return the facts of an entry whose faces a detector finds."""
    return {
        "parts": {"detector": detector, **more, **READERS},
        "options": _detector(detector, _DETECTORS),
    }


_MESH = Entry(
    name="facemesh.base",
    task="faces",
    model="mesh:FaceMesh",
    weights="facemesh-tfjs-fp16",
    preprocess=Preprocess(size=(192, 192), divide=255.0, border="replicate"),
    output="output_mesh",
    batch=True,
    title="Face mesh of 468 points in 3D, by MediaPipe",
    limits="Guesses at faces narrower than about 40 pixels. What its detector misses it does not "
    "see; by another detector than blazeface.refined or thorough it misreads faces upside down.",
    **_found_by("blazeface.refined", iris="iris.base"),
)

_MESHES = [
    _MESH,
    _MESH._replace(
        name="facemesh.attention",
        model="attention:AttentionMesh",
        weights="mediapipe-face-landmark-with-attention-tflite",
        file="face_landmark_with_attention.tflite",
        output="output_mesh_identity",
        title="Face mesh of 468 points with closer looks at eyes and lips, and irises, "
        "by MediaPipe",
        accuracy="Points are within 0.01 pixel of the input from MediaPipe's on 2 images.",
        **_found_by("blazeface.refined"),
    ),
    Entry(
        name="iris.base",
        task="faces",
        model="irises:IrisModel",
        weights="iris-tfjs-float",
        preprocess=Preprocess(size=(64, 64), divide=255.0, border="replicate"),
        output="Identity",
        batch=True,
        title="Eyelids and iris of one eye, 71 and 5 points, by MediaPipe",
        limits="Takes the image of one right eye. Closed eyes have irises, too.",
    ),
]

# --- face-api.js's: sizes, means and thresholds as in its sources (see face_api_decode) ---------


def _less_mean(fit: str, *mean: float, size: tuple[int, int] | None = None) -> Preprocess:
    """Return a preprocessing that subtracts the mean of each channel, and divides by 255."""
    red, green, blue = (value / 255 for value in mean)
    return Preprocess(size, fit, divide=255.0, subtract=(red, green, blue), resize="tfjs")


_FACE = _less_mean("letterbox", 122.782, 117.001, 104.298, size=(112, 112))


def _of_face(
    name: str, model: str, network: str, weights: str, output: str, title: str, **more: Any
) -> Entry:
    return Entry(
        name=f"faceapi.{name}",
        task="faces",
        model=f"face_api:{model}",
        weights=f"face-api-{weights}",
        network=f"face_api:{network}",
        preprocess=_FACE,
        output=output,
        embedding="features",
        title=f"{title}, of face-api.js",
        **more,
    )


_TURNED = "Fails with faces turned by more than about 30 degrees"
_TURNED_UNLESS = f"{_TURNED}, unless a mesh turns them level."


def _points(name: str, weights: str, title: str) -> Entry:
    return _of_face(
        name,
        "FacePoints",
        "build_landmarks",
        weights,
        "landmarks",
        title,
        limits=f"{_TURNED}.",
        **_found_by("faceapi.tiny_detector"),
    )


_FACE_API = [
    Entry(
        name="faceapi.tiny_detector",
        task="faces",
        model="detectors:TinyFaceDetector",
        weights="face-api-tiny-face-detector",
        network="face_api:build_detector",
        preprocess=_less_mean("pad", 117.001, 114.697, 97.404),
        output="grid",
        defaults={"score_threshold": 0.5, "iou_threshold": 0.4},
        title="Tiny YOLOv2 for faces, boxes without keypoints, of face-api.js",
        parts=READERS,
        options=by_name(
            Option(
                "input_size",
                "choice",
                "pixels that the image is resized to; with more it finds smaller faces",
                416,
                choices=(128, 160, 224, 320, 416, 512, 608),
            )
        ),
        limits=f"{_NARROW.format(12)} That is with input_size 416, which misses some that fill it, "
        "too.",
    ),
    _points("landmark68", "face-landmark-68", "68 points of a face"),
    _points("landmark68_tiny", "face-landmark-68-tiny", "68 points of a face by a smaller network"),
    _of_face(
        "expression",
        "FaceReader",
        "build_expressions",
        "face-expression",
        "expressions",
        "7 facial expressions",
        limits=f"{_TURNED_UNLESS} Names how a face looks, not what someone feels.",
    ),
    _of_face(
        "age_gender",
        "FaceReader",
        "build_age_gender",
        "age-gender",
        "age",
        "Age and gender",
        limits=f"{_TURNED_UNLESS} A guess from looks, often wrong: no ground for decisions.",
    ),
]

# --- YuNet: OpenCV's defaults, but for its score of 0.9, where it misses many faces --------------

YUNET_SIDE = 640

YUNET = Entry(
    name="yunet.s",
    task="faces",
    model="yunet:YuNet",
    weights="yunet-s-640-onnx",
    file="yunet_s_640_640.onnx",
    preprocess=Preprocess((YUNET_SIDE, YUNET_SIDE), channels="bgr", axes="nchw"),
    output="bbox_8",
    defaults={"score_threshold": 0.7, "iou_threshold": 0.3, "max_detections": 20},
    title="YuNet for faces of all sizes, 5 keypoints, by Wu, Peng and Yu",
    parts=READERS,
    limits=f"{_NARROW.format(35)} Misses most that are turned by 60 to 120 degrees. "
    "Takes faces of some dogs for human ones.",
    accuracy="Outputs are within 1e-4 of ONNX Runtime's, of their range.",
)

ENTRIES = [*_BLAZEFACES, *_MESHES, *_FACE_API, YUNET]
