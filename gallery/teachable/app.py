"""Teach the program classes of your own, in the browser.

Run: ``zoo gallery teachable``
"""

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import zoo
from zoo.web import Client, Download, select
from zoo.web.gallery import gallery_app

MOST_EXAMPLES, LONGEST_LABEL = 500, 40
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
    examples.setdefault(label, []).append(frame.image)
    return {name: len(images) for name, images in examples.items()}


@app.on("forget")
def forget(client: Client, message: dict[str, Any]) -> dict[str, int]:
    """Forget the examples of a class, or of all."""
    examples = client.state.setdefault("examples", {})
    for label in [message["label"]] if "label" in message else list(examples):
        examples.pop(label, None)
    client.state.pop("model", None)
    return {name: len(images) for name, images in examples.items()}


@app.on("train")
def train(client: Client, features: str) -> dict[str, Any]:
    """Teach a model; return how well it knows examples that were held out."""
    model = zoo.teach(client.state.get("examples", {}), features=features, cache=False)
    client.state["model"] = model
    scores = model.scores.as_dict()
    return {name: scores[name] for name in ("images", "accuracy", "confusion", "warnings")}


def taught(client: Client) -> zoo.TaughtModel:
    """Return the model of a page."""
    if "model" not in client.state:
        raise zoo.ZooError("train the model first")
    model: zoo.TaughtModel = client.state["model"]
    return model


@app.download("zoo.zip")
def zoo_folder(client: Client) -> Download:
    """Return the folder that `zoo.load` reads, packed."""
    file = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(file, "w") as packed:
        saved = taught(client).save(Path(folder) / "my_model")
        for path in sorted(saved.rglob("*")):
            packed.write(path, path.relative_to(folder))
    return Download(file.getvalue(), "my_model.zip", "application/zip")


@app.download("teachable.zip")
def teachable_bundle(client: Client) -> Download:
    """Return the model as Teachable Machine exports it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(taught(client).export(Path(folder) / "converted_tfjs.zip").path)
        return Download(path.read_bytes(), path.name, "application/zip")
