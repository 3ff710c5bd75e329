"""Teach the program classes of your own, in the browser.

Run: ``zoo gallery teachable``
"""

import shutil
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

import zoo
from zoo.web import Client, Download, select
from zoo.web.gallery import gallery_app

MOST_EXAMPLES = 500
SIDE, QUALITY = 256, 90  # of examples: pixels of the longer side, and of JPEG; 10 KB, 73 at most
app = gallery_app(__file__, select("features", ["mobilenet.v2_100_quant", "posenet.tiny"]))


@app.on_frame
def predict(frame: zoo.Frame, client: Client) -> Any:
    """Return the score of each class, once a model is taught."""
    model = client.state.get("model")
    return [] if model is None else model.classify(frame, top_k=len(model.labels))


@app.on_image("example")
def add_example(frame: zoo.Frame, client: Client) -> int:
    """Keep an example, by the number of its message; return how many there are."""
    examples, file = client.state.setdefault("examples", {}), BytesIO()
    if len(examples) >= MOST_EXAMPLES:
        raise zoo.ZooError(f"a page keeps {MOST_EXAMPLES} examples at most: remove some, or train")
    image = Image.fromarray(frame.image)
    image.thumbnail((SIDE, SIDE))
    image.save(file, "JPEG", quality=QUALITY)
    examples[frame.index] = file.getvalue()
    return len(examples)


@app.on("remove")
def remove(client: Client, message: dict[str, Any]) -> None:
    """Forget the examples of some numbers."""
    for number in message["numbers"]:
        client.state.get("examples", {}).pop(number, None)


@app.on("train")
def train(client: Client, message: dict[str, Any], features: str) -> dict[str, Any]:
    """Teach a model the examples of each label; return how well it knows held-out ones."""
    examples = client.state.get("examples", {})
    labels = {n: label for label, numbers in message["labels"] for n in numbers}
    images = [examples[number] for number in labels]
    model = zoo.teach(images, [*labels.values()], features=features, cache=False)
    client.state["model"] = model
    scores = model.scores.as_dict()
    return {name: scores[name] for name in ("images", "accuracy", "confusion", "warnings")}


@app.download("zoo.zip")
def zoo_folder(client: Client) -> Download:
    """Return the folder that `zoo.load` reads, packed."""
    if "model" not in client.state:
        raise zoo.ZooError("train the model first")
    with tempfile.TemporaryDirectory() as folder:
        client.state["model"].save(Path(folder) / "my_model")
        packed = shutil.make_archive(f"{folder}/my_model", "zip", folder, "my_model")
        return Download(Path(packed).read_bytes(), "my_model.zip", "application/zip")


@app.download("teachable.zip")
def teachable_bundle(client: Client) -> Download:
    """Return the model as Teachable Machine exports it."""
    if "model" not in client.state:
        raise zoo.ZooError("train the model first")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(client.state["model"].export(Path(folder) / "converted_tfjs.zip").path)
        return Download(path.read_bytes(), path.name, "application/zip")
