"""The staged models that carry a topology, and which golden outputs belong to which."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import core.converter
from core.graph_model.graph_model import GraphModel

#: Files without a topology: a network is built for them elsewhere, or they are rules, not weights.
WITHOUT_TOPOLOGY = ("face-api-", "fingerpose-", "posenet-mobilenet-v1-075-float-pertensor")


class Staged(NamedTuple):
    """A model file, the names of its goldens, and how they are compared.

    ``rule`` is the name of a rule of `comparison`; ``names`` says what a golden calls an output
    that the file calls otherwise; ``only`` is the one output of the goldens that this file gives,
    ``before`` a file whose output is this one's input. ``same`` is a file of the same network that
    LiteRT can run without more custom ops.
    """

    folder: str
    goldens: tuple[str, ...]
    file: str = "model.json"
    rule: str = "float"
    names: Mapping[str, str] = {}
    only: str | None = None
    before: str | None = None
    same: str | None = None

    @property
    def path(self) -> str:
        """The file, from the folder of weights."""
        return f"{self.folder}/{self.file}"


class Golden(NamedTuple):
    """A stored input, what a reference implementation gave for it, and the quanta of that."""

    name: str
    input: np.ndarray
    outputs: Mapping[str, np.ndarray]
    quantization: Mapping[str, tuple[float, float]]


BODYPIX = "bodypix-mobilenet-v1-075-quant-decoder-tflite"
FACES = "mediapipe-face-detection-tflite"
HANDTRACK = "handtrack-ssd320fpnlite-tfjs-uint8"
MOVENET = "movenet-singlepose-lightning-int8-tflite"
SELFIE = "mediapipe-selfie-segmentation-tflite"
SMALL = "mobilenet-v1-025-224-float-tflite"
SMALL_FILE = "mobilenet_v1_0.25_224"
SPLIT = "mobilenet-v1-100-224-quant-tflite-split"
SSD = "ssd-mobilenet-v1-coco-quant-tflite"
V2 = "mobilenet-v2-100-224-quant-tflite"
FEATURES = "mobilenet_v1_1.0_224_quant_embedding_extractor.tflite"
PICTURES = ("burger", "coral_cat", "coral_grace_hopper")
PEOPLE = ("pose_core", "three_people_core")
CATS = ("cats_and_dogs", "coco_image1", "coco_image2")


def _tflite(folder: str, stem: str, *goldens: str, **more: Any) -> Staged:
    return Staged(folder, goldens, f"{stem}.tflite", **more)


STAGED = (
    Staged("blazeface-front-tfjs-float", ("blazefront_portrait_tfjs",)),
    Staged("blazeface-tfjs-float", ("blaze_portrait_tfjs",)),
    Staged("blazepose-lite-tfjs-fp16", ("blazepose_pose_tfjs",)),
    Staged("facemesh-tfjs-fp16", ("facemesh_portrait_tfjs",)),
    Staged("hand-landmark-lite-tfjs-fp16", ("handlm0_tfjs",)),
    Staged("handpose-palm-detector-tfjs-fp16", ("handdetect_hands_tfjs",)),
    Staged(HANDTRACK, ("handtrack_hands_tfjs",), rule="rows_by_anchor"),
    Staged("iris-tfjs-float", ("iris_portrait_tfjs",)),
    Staged("selfie-segmentation-tfjs-fp16", ("selfie_portrait_tfjs",)),
    Staged(
        "mobilenet-v1-025-224-tfjs-layers-float",
        ("mbn025_coral_cat_tfjs", "mbn025_coral_parrot_tfjs"),
    ),
    Staged("nsfwjs-mobilenet-v2-tfjs-uint8", ("nsfw_parrot_tfjs", "nsfw_portrait_tfjs")),
    _tflite(
        "deeplabv3-257-mv-gpu-float-tflite",
        "deeplabv3_257_mv_gpu",
        "coral_bird_segmentation",
        names={"logits": "ResizeBilinear_3"},
    ),
    _tflite(
        "hand-gesture-keypoint-classifier",
        "keypoint_classifier",
        "keypoint_csv_every25th",
        rule="row_by_row",
    ),
    _tflite("hand-gesture-keypoint-classifier", "point_history_classifier", "drawn", rule="live"),
    _tflite("mediapipe-blazepose-lite-tflite", "pose_detection", "pose_detection_pose"),
    _tflite("mediapipe-blazepose-lite-tflite", "pose_landmark_lite", "pose_landmark_lite_pose"),
    _tflite(FACES, "face_detection_full_range_sparse", "full_portrait", "full_three_people"),
    _tflite(FACES, "face_detection_short_range", "short_coral_grace_hopper", "short_portrait"),
    _tflite(
        "mediapipe-hand-landmark-lite-tflite", "hand_landmark_lite", "hand0_hands", "hand1_hands"
    ),
    *[
        _tflite("mediapipe-palm-detection-tflite", stem, f"{stem}_hands")
        for stem in ("palm_detection_full", "palm_detection_lite")
    ],
    *[
        _tflite(SELFIE, stem, f"portrait_{stem}", f"three_people_{stem}")
        for stem in ("selfie_segmentation", "selfie_segmentation_landscape")
    ],
    _tflite(
        SMALL, f"{SMALL_FILE}_1_default_1", *(f"{p}_float" for p in (*PICTURES, "coral_parrot"))
    ),
    _tflite(
        SMALL,
        f"{SMALL_FILE}_quant",
        *(f"{p}_{SMALL_FILE}_quant" for p in PICTURES),
        rule="quantised",
    ),
    Staged(
        SPLIT,
        PICTURES,
        FEATURES,
        rule="quantised",
        names={"embedding": "MobilenetV1/Logits/AvgPool_1a/AvgPool"},
        only="embedding",
    ),
    Staged(
        SPLIT,
        PICTURES,
        "mobilenet_quant_v1_224_head_layers.tflite",
        rule="quantised",
        only="MobilenetV1__Predictions__Reshape_1",
        before=FEATURES,
    ),
    *[
        _tflite(V2, stem, *(f"{picture}_{stem}" for picture in pictures), rule="quantised")
        for stem, pictures in {
            "mobilenet_v2_1.0_224_quant": (*PICTURES, "coral_parrot"),
            "tf2_mobilenet_v2_1.0_224_ptq": PICTURES,
        }.items()
    ],
    *[
        _tflite(MOVENET, stem, f"pose_{stem}", rule="keypoints")
        for stem in (
            "lite-model_movenet_singlepose_lightning_tflite_int8_4",
            "movenet_single_pose_lightning_ptq",
        )
    ],
    _tflite(
        "posenet-mobilenet-v1-075-quant-tflite-353_481",
        "posenet_mobilenet_v1_075_353_481_quant",
        "coral_posenet_test_image",
        "pose",
        rule="quantised",
    ),
    _tflite(BODYPIX, "bodypix_core_no_decoder", *PEOPLE, rule="quantised"),
    _tflite(
        BODYPIX,
        "bodypix_mobilenet_v1_075_512_512_16_quant_decoder",
        *PEOPLE,
        rule="quantised",
        same="bodypix_core_no_decoder.tflite",
    ),
    *[
        _tflite(SSD, stem, *CATS, rule="detections")
        for stem in ("coco_ssd_mobilenet_v1_1.0_quant_2018_06_29", "no_metadata")
    ],
)


def cases() -> Iterator[tuple[Staged, str]]:
    """Every golden with its model."""
    return ((staged, name) for staged in STAGED for name in staged.goldens)


def id_of(staged: Staged, name: str) -> str:
    """What a test of a golden is called."""
    return f"{staged.path}-{name}"


def read_golden(weights: Path, staged: Staged, name: str) -> Golden:
    """One golden of a model; inputs are drawn where none is stored."""
    if staged.rule == "live":
        (spec,) = loaded(weights / staged.path).inputs.values()
        shape = (20, *(length or 1 for length in (spec.shape or ())[1:]))
        return Golden(name, np.random.default_rng(7).uniform(-1, 1, shape).astype("f4"), {}, {})
    stem = weights / staged.folder / "reference" / name
    facts = json.loads(stem.with_name(f"{name}.json").read_text())
    with np.load(stem.with_name(f"{name}.npz"), allow_pickle=False) as arrays:
        outputs = {key: arrays[key] for key in arrays.files}
    given = outputs.pop("input")
    if staged.only:
        outputs = {staged.only: outputs[staged.only]}
    quantization = {key: tuple(q) for key, q in facts.get("output_quantization", {}).items()}
    return Golden(name, given, outputs, quantization)


def loaded(path: Path) -> GraphModel:
    """The model of a file, on the backend that runs."""
    return loaded_on(core.get_backend(), path)


@lru_cache(maxsize=2)
def loaded_on(backend: str, path: Path) -> GraphModel:
    """Goldens of a model follow each other on each backend, so that few models are kept."""
    return core.converter.load_model(path, backend=backend)
