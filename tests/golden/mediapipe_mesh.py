"""Records what MediaPipe gives for its attention mesh: LiteRT alone lacks three of its ops.

``python tests/golden/mediapipe_mesh.py MODEL PHOTO`` writes ``attention_mesh.npz`` beside this
file, for ``face_landmark_with_attention.tflite`` and ``photos/portrait.jpg``. It needs mediapipe
0.10.21, in an environment of its own.
"""

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("attention_mesh.npz")

OUTPUTS = (
    *("output_mesh_identity", "output_lips", "output_left_eye", "output_right_eye"),
    *("output_left_iris", "output_right_iris", "conv_faceflag"),
)

_HEAD = """
input_stream: "image"
node {{ calculator: "ToImageCalculator" input_stream: "IMAGE_CPU:image"
  output_stream: "IMAGE:whole" }}
node {{ calculator: "ImageToTensorCalculator" input_stream: "IMAGE:whole"
  output_stream: "TENSORS:taken" options {{ [mediapipe.ImageToTensorCalculatorOptions.ext] {{
    output_tensor_width: 192 output_tensor_height: 192
    output_tensor_float_range {{ min: 0 max: 1 }} }} }} }}
node {{ calculator: "TfLiteCustomOpResolverCalculator" output_side_packet: "OP_RESOLVER:ops" }}
node {{ calculator: "InferenceCalculatorCpu" input_stream: "TENSORS:taken"
  input_side_packet: "OP_RESOLVER:ops" output_stream: "TENSORS:given"
  options {{ [mediapipe.InferenceCalculatorOptions.ext] {{
    model_path: "{model}" delegate {{ tflite {{}} }} }} }} }}
node {{ calculator: "SplitTensorVectorCalculator" input_stream: "given" {streams}
  options {{ [mediapipe.SplitVectorCalculatorOptions.ext] {{ {ranges} }} }} }}
"""
_NUMBERS = """node {{ calculator: "TensorsToFloatsCalculator" input_stream: "TENSORS:tensor_{0}"
  output_stream: "FLOATS:numbers_{0}" }}
"""


def crops(photo: np.ndarray) -> np.ndarray:
    """The face close and from farther away, uint8 [2, 192, 192, 3], without any resampling."""
    return np.stack([photo[85:277, 220:412], photo[0:384:2, 123:507:2]])


def graph_for(model: Path) -> str:
    """A graph from an image to the numbers of each output."""
    numbers = range(len(OUTPUTS))
    streams = " ".join(f'output_stream: "tensor_{i}"' for i in numbers)
    ranges = " ".join(f"ranges: {{ begin: {i} end: {i + 1} }}" for i in numbers)
    head = _HEAD.format(model=model.absolute(), streams=streams, ranges=ranges)
    return head + "".join(map(_NUMBERS.format, numbers))


def run(mediapipe: Any, graph: str, image: np.ndarray) -> list[np.ndarray]:
    """The outputs for one image."""
    found: dict[str, list[float]] = {}

    def keep(stream: str, packet: Any) -> None:
        found[stream] = mediapipe.packet_getter.get_float_list(packet)

    running = mediapipe.CalculatorGraph(graph_config=graph)
    streams = [f"numbers_{i}" for i in range(len(OUTPUTS))]
    for stream in streams:
        running.observe_output_stream(stream, keep)
    running.start_run()
    frame = mediapipe.packet_creator.create_image_frame(
        image_format=mediapipe.ImageFormat.SRGB, data=np.ascontiguousarray(image)
    )
    running.add_packet_to_input_stream("image", frame.at(0))
    running.close_input_stream("image")
    running.wait_until_done()
    return [np.array(found[stream], np.float32) for stream in streams]


def main(model: str, photo: str) -> None:
    """Write the outputs for all crops, [2, numbers] each."""
    mediapipe, pillow = (importlib.import_module(name) for name in ("mediapipe", "PIL.Image"))
    images = crops(np.asarray(pillow.open(photo).convert("RGB")))
    rows = [run(mediapipe, graph_for(Path(model)), image) for image in images]
    outputs = (np.stack(of_one) for of_one in zip(*rows, strict=True))
    np.savez(FILE, **dict(zip(OUTPUTS, outputs, strict=True)))


if __name__ == "__main__":
    main(*sys.argv[1:])
