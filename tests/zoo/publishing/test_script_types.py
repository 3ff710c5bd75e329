"""The types of published scripts: they are valid, and say what the scripts have."""

import json
import re
import shutil
import subprocess

import pytest

import zoo
from tests.helpers import PATIENCE
from tests.zoo.publishing.node_scripts import run_script
from zoo.publishing.joined_scripts import joined_types
from zoo.publishing.publishing import _facts
from zoo.publishing.recipes import recipe_of

#: A model of each class of scripts.
NAMES = (
    "posenet.tiny",
    "mobilenet.v1_025",
    "hands.lite",
    "blazeface.short",
    "facemesh.base",
)

_METHODS = """
const module = await import(`./scripts/${given.script}`);
const model = module[given.name];
answer({ methods: Object.getOwnPropertyNames(model.prototype), task: model.task });
"""

_USE = """
import { load, ZooError, %(name)s } from "./zoo.js";
import type { Picture, Source, ZooElement } from "./zoo.js";

const pictures: Picture[] = [
  new ImageData(2, 2),
  new Image(),
  document.createElement("canvas"),
  document.createElement("video"),
  await createImageBitmap(new Blob()),
  { width: 1, height: 1, data: new Uint8Array(4) },
];
const source: Source = { modules: { simd: new Uint8Array(1) }, shards: [] };
const model: %(name)s = await load(source);
await load("https://example.org/model/");
for (const picture of pictures) {
  for (const { score } of model.find(picture, { mirror: true })) console.log(score.toFixed(2));
}
const element = document.querySelector<ZooElement<%(name)s>>("%(tag)s");
element?.addEventListener("result", ({ detail }) => console.log(detail[0]?.score));
element?.addEventListener("click", (event) => console.log(event.type));
console.log(%(name)s.task, model.description.title, new ZooError("no").message);
// @ts-expect-error: a name is no picture.
model.find("photo.jpg");
// @ts-expect-error: there is no such option.
model.find(pictures[0]!, { mirrored: true });
// @ts-expect-error: models come from load.
new %(name)s();
"""


@pytest.fixture(autouse=True)
def _weights(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


@pytest.fixture(params=NAMES)
def model(request):
    with zoo.load(request.param, backend="cpu") as model:
        yield model


def test_types_have_the_methods_and_options_of_scripts(model, tmp_path):
    recipe = recipe_of(model)
    types = joined_types(recipe).decode()
    declared = re.search(rf"export class {recipe.class_name} \{{\n(.*?)\n\}}", types, re.DOTALL)[1]
    methods = dict(re.findall(r"^  (\w+)\(.*\boptions\?: (\w+)\)", declared, re.MULTILINE))
    verbs = _facts(model, recipe)["options"]
    assert methods.keys() == {*verbs, "find"}
    given = {"script": recipe.script, "name": recipe.class_name}
    found = run_script(tmp_path, _METHODS, given)
    assert methods.keys() <= {*found["methods"]}
    assert f'static readonly task: "{found["task"]}"' in declared
    for verb, options in verbs.items():
        assert options_of(types, methods[verb]) == options.keys()


def options_of(types, name):
    """The options that an interface has, with those of the one that it extends."""
    found = re.search(
        rf"export interface {name} (?:extends (\w+) )?\{{\n(.*?)\n\}}", types, re.DOTALL
    )
    own = {*re.findall(r"^  (\w+)\?:", found[2], re.MULTILINE)}
    return own | options_of(types, found[1]) if found[1] else own


def test_types_are_valid_and_check_their_users(model, tmp_path):
    compiler = shutil.which("tsc") or pytest.skip("TypeScript is not installed")
    recipe = recipe_of(model)
    names = {"name": recipe.class_name, "tag": recipe.element}
    (tmp_path / "zoo.d.ts").write_bytes(joined_types(recipe))
    (tmp_path / "use.ts").write_text(_USE % names)
    (tmp_path / "package.json").write_text(json.dumps({"type": "module"}))
    options = ["--strict", "--noEmit", "--target", "es2022", "--module", "nodenext"]
    options += ["--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"]
    done = subprocess.run(
        [compiler, *options, "use.ts"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout
