"""Teach the program classes of your own, in the browser.

Run: ``zoo gallery teachable``
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import zoo
from zoo.web import Client, Download, select
from zoo.web.gallery import gallery_app

MOST_EXAMPLES, LONGEST_LABEL, SIDE = 500, 40, 320  # SIDE: pixels of the longer side of an example
app = gallery_app(__file__, select("features", ["mobilenet.v2_100_quant", "posenet.tiny"]))


@app.on_frame
def predict(frame: zoo.Frame, client: Client) -> Any:
    """Return the score of each class, once a model is taught."""
    model = client.state.get("model")
    return [] if model is None else model.classify(frame, top_k=len(model.labels))


@app.on_image("example")
def add_example(frame: zoo.Frame, client: Client, message: dict[str, Any]) -> dict[str, int]:
    """Keep an example; return how many each class has."""
    examples = client.state.setdefault("examples", {})
    label = str(message.get("label", "")).strip()[:LONGEST_LABEL]
    if not label or sum(map(len, examples.values())) >= MOST_EXAMPLES:
        raise zoo.ZooError(f"an example needs a class, and there may be {MOST_EXAMPLES} of all")
    image = Image.fromarray(frame.image)
    image.thumbnail((SIDE, SIDE))
    examples.setdefault(label, []).append(np.asarray(image))
    return {name: len(images) for name, images in examples.items()}


@app.on("rename")
def rename(client: Client, message: dict[str, Any]) -> dict[str, int]:
    """Move the examples of a class to another label; those of "" are forgotten."""
    examples = client.state.setdefault("examples", {})
    images = examples.pop(message.get("label"), [])
    label = str(message.get("to", "")).strip()[:LONGEST_LABEL]
    if images and label:
        examples[label] = examples.get(label, []) + images
    return {name: len(images) for name, images in examples.items()}


@app.on("train")
def train(client: Client, features: str) -> dict[str, Any]:
    """Teach a model; return how well it knows examples that were held out."""
    model = zoo.teach(client.state.get("examples", {}), features=features, cache=False)
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
