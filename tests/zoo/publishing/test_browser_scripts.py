"""Published scripts in a browser: pictures of all kinds, and the module with relaxed SIMD."""

import io
import mimetypes
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image

import zoo
from tests.gallery.browser import empty_page
from tests.helpers import require_llvmlite
from tests.zoo.publishing.result_checks import assert_same_items
from zoo.images.reading import read_image

SITE = "http://zoo.test"


@contextmanager
def page_with(contents: Mapping[str, bytes]) -> Iterator[Any]:
    """A page of a site of these files by their paths, which other sites have, too."""

    def answer(route):
        path = urlsplit(route.request.url).path
        if path in contents:
            kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
            route.fulfill(body=contents[path], content_type=kind)
        else:
            route.fulfill(status=404)

    with empty_page() as page:
        page.route("**/*", answer)
        page.goto(f"{SITE}/index.html")
        yield page


def png_of(image: np.ndarray) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(image).save(stream, "png")
    return stream.getvalue()


_PICTURES = """async () => {
  const { toPixels } = await import("./images.js");
  const imageOf = (address) => new Promise((resolve) => {
    const image = Object.assign(new Image(), { src: address });
    image.addEventListener("load", () => resolve(image));
  });
  const img = await imageOf("picture.png");
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: img.width, height: img.height });
  canvas.getContext("2d").drawImage(img, 0, 0);
  const bitmap = await createImageBitmap(img);
  const offscreen = new OffscreenCanvas(img.width, img.height);
  offscreen.getContext("2d").drawImage(img, 0, 0);
  const small = Object.assign(await imageOf("picture.png"), { width: 3, height: 2 });
  document.body.append(small);
  const frame = new VideoFrame(offscreen, { timestamp: 0 });
  const pictures = { img, canvas, bitmap, offscreen, small, frame };
  const found = {};
  for (const [name, picture] of Object.entries(pictures)) {
    const { width, height, data } = toPixels(picture);
    found[name] = { width, height, data: [...data] };
  }
  frame.close();
  bitmap.close();
  const wordsOf = (picture) => {
    try {
      toPixels(picture);
    } catch (error) {
      return `${error.name}: ${error.message}`;
    }
  };
  const words = {
    "not loaded": wordsOf(Object.assign(new Image(), { src: "picture.png?again" })),
    "no video": wordsOf(document.createElement("video")),
    closed: wordsOf(bitmap),
    "of another site": wordsOf(await imageOf("http://other.test/picture.png")),
    "a file": wordsOf(new Blob()),
  };
  return { found, words };
}"""


def test_pictures_give_their_pixels_over_white(rng):
    image = rng.integers(0, 256, (5, 7, 4), np.uint8)
    image[..., 3] = rng.choice([0, 255], (5, 7))
    scripts = files("zoo.publishing") / "scripts"
    contents = {f"/{name}": (scripts / name).read_bytes() for name in ("images.js", "errors.js")}
    png = png_of(image)
    contents |= {"/index.html": b"<!doctype html>", "/picture.png": png}
    with page_with(contents) as page:
        answer = page.evaluate(_PICTURES)
    expected = read_image(io.BytesIO(png))
    for name, found in answer["found"].items():
        pixels = np.array(found["data"], np.uint8).reshape(found["height"], found["width"], 4)
        np.testing.assert_array_equal(pixels[..., :3], expected, name)
    waiting = "ZooError: the image has no pixels yet"
    words = answer["words"]
    assert words["not loaded"].startswith(waiting)
    assert words["no video"].startswith(waiting)
    assert words["closed"].startswith(waiting)
    assert "of another site, which does not let pages read it" in words["of another site"]
    assert "await createImageBitmap(file)" in words["a file"]


_FIND = """async () => {
  const { load } = await import("./zoo.js");
  const model = await load();
  const image = Object.assign(new Image(), { src: "picture.png" });
  await image.decode();
  return model.find(image);
}"""


@pytest.mark.parametrize("name", ["posenet.tiny", "mobilenet.v1_025"])
def test_results_in_a_browser_are_those_of_python(name, shared, monkeypatch, tmp_path):
    require_llvmlite()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    image = read_image(shared / "images" / "photos" / "three_people.jpg")
    with zoo.load(name, backend="cpu") as model:
        zoo.publish(model, tmp_path / "out")
        verb = "classify" if name.startswith("mobilenet") else "estimate_multiple_poses"
        expected = getattr(model, verb)(image)
    contents = {f"/{path.name}": path.read_bytes() for path in (tmp_path / "out").iterdir()}
    contents |= {"/index.html": b"<!doctype html>", "/picture.png": png_of(image)}
    asked = []
    with page_with(contents) as page:
        page.on("request", lambda request: asked.append(PurePosixPath(request.url).name))
        found = page.evaluate(_FIND)
    assert_same_items(found, expected)
    modules = [path for path in asked if path.endswith(".wasm")]
    assert modules == ["relaxed.wasm"]
