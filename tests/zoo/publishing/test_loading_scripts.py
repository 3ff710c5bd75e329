"""Loading of published models: whole or quantised weights, and what goes wrong, in words."""

import hashlib
import re
from dataclasses import replace

import numpy as np
import pytest

import zoo
from core.wasm import read_module, write_module
from tests.helpers import require_llvmlite
from tests.weights_cache.fault_server import FaultServer
from tests.zoo.publishing.found_in_node import LOADING, publish_here
from tests.zoo.publishing.node_scripts import image_file, run_script
from tests.zoo.publishing.published import description_of, weights_of
from zoo.images.reading import read_image
from zoo.publishing import stored_weights

_WORDS = """
const wordsOf = async (source) => {
  try {
    await load(source);
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};
"""


@pytest.fixture(autouse=True)
def _compiler(shared, monkeypatch):
    require_llvmlite()
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))


def publish_small(folder, **options):
    """Publish a network for small images; return its shards."""
    with zoo.load("posenet.tiny", backend="cpu", input_size=129) as model:
        return publish_here(folder, model, **options)


def assert_words(found, expected):
    """Check errors by name; patterns are those of messages."""
    assert found.keys() == expected.keys()
    for name, pattern in expected.items():
        assert found[name] is not None, name
        assert re.fullmatch(f"ZooError: .*{pattern}.*", found[name]), f"{name}: {found[name]}"


_MEMORY = """
const { network, description } = await load(filesOf(given));
const { address, bytes } = description.weights;
fs.writeFileSync("memory", new Uint8Array(network.memory.buffer, address, bytes));
answer(null);
"""


@pytest.mark.parametrize("kind", [None, "float16", "uint8"])
def test_weights_in_memory_are_those_of_the_files(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(stored_weights, "SHARD_BYTES", 1 << 19)
    shards = publish_small(tmp_path, quantise=kind)
    assert len(shards) > 1
    run_script(tmp_path, LOADING + _MEMORY, shards)
    folder = tmp_path / "published"
    expected = weights_of(folder, description_of(folder)["weights"])
    assert (tmp_path / "memory").read_bytes() == expected


_HALVES = """
import { widenedWeights } from "./scripts/weights.js";
const pieces = [
  { at: 0, as: "raw", bytes: 3 },
  { at: 4, as: "float16", count: given },
];
fs.writeFileSync("values", widenedWeights([bytesOf("halves")], pieces, 4 + 4 * given));
answer(null);
"""


def test_every_finite_float16_becomes_its_value(tmp_path):
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]
    (tmp_path / "halves").write_bytes(b"raw" + halves.tobytes())
    run_script(tmp_path, _HALVES, halves.size)
    found = (tmp_path / "values").read_bytes()
    assert found == b"raw\0" + halves.astype(np.float32).tobytes()


_DIGESTS = """
import { computedSha256, sha256 } from "./scripts/sha256.js";
const all = bytesOf("bytes");
const hexadecimal = (digest) => Buffer.from(digest).toString("hex");
const digests = [];
for (const length of given) {
  const bytes = all.subarray(1, 1 + length);
  digests.push([await sha256(bytes), hexadecimal(computedSha256(bytes))]);
}
answer(digests);
"""


def test_digests_are_those_of_hashlib_with_and_without_the_browsers_own(rng, tmp_path):
    content = rng.bytes(300_001)
    (tmp_path / "bytes").write_bytes(content)
    lengths = [0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000, 300_000]
    found = run_script(tmp_path, _DIGESTS, lengths)
    for length, digests in zip(lengths, found, strict=True):
        expected = hashlib.sha256(content[1 : 1 + length]).hexdigest()
        assert digests == [expected, expected], length


_DAMAGED = """
const files = () => filesOf(given.shards);
const withModule = (bytes) => ({ ...files(), modules: { simd: bytes } });
const withShard = (change) => {
  const { modules, shards } = files();
  return { modules, shards: shards.map((shard, i) => (i ? shard : change(shard))) };
};
const changed = (bytes) => bytes.map((byte, i) => (i === 1000 ? byte ^ 1 : byte));
const module = published("model.wasm");
const sources = {
  "cut off module": withModule(module.subarray(0, 20000)),
  "empty module": withModule(new Uint8Array(0)),
  "no module": { modules: {}, shards: [] },
  "other module": withModule(bytesOf("other.wasm")),
  "a page instead": withModule(new TextEncoder().encode("<!doctype html>")),
  "cut off weights": withShard((shard) => shard.subarray(0, 500)),
  "changed weights": withShard(changed),
  "missing shard": { ...files(), shards: files().shards.slice(1) },
  "no shards": { ...files(), shards: [] },
};
const words = {};
for (const [name, source] of Object.entries(sources)) words[name] = await wordsOf(source);
Object.defineProperty(globalThis, "crypto", { value: {} });
words["changed weights, no crypto"] = await wordsOf(withShard(changed));
const { validate, instantiate } = WebAssembly;
WebAssembly.instantiate = async () => { throw new RangeError("Out of memory"); };
words["no memory"] = await wordsOf(files());
WebAssembly.instantiate = instantiate;
WebAssembly.validate = () => false;
words["no SIMD"] = await wordsOf(files());
WebAssembly.validate = validate;
words.whole = (await wordsOf(files())) ?? null;
answer(words);
"""


def test_damaged_files_are_refused_in_words(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_weights, "SHARD_BYTES", 1 << 19)
    shards = publish_small(tmp_path, quantise="uint8")
    module = read_module((tmp_path / "published" / "model.wasm").read_bytes())
    (tmp_path / "other.wasm").write_bytes(write_module(replace(module, custom=())))
    words = run_script(tmp_path, LOADING + _WORDS + _DAMAGED, {"shards": shards})
    assert words.pop("whole") is None
    damaged, together = "damaged or incomplete", "stay together"
    assert_words(
        words,
        {
            "cut off module": rf"simd module is {damaged} \(20000 bytes\).*{together}",
            "empty module": rf"{damaged} \(0 bytes\)",
            "no module": rf"{damaged} \(0 bytes\)",
            "other module": f"does not say what it computes.*{together}",
            "a page instead": rf"{damaged} \(15 bytes\)",
            "cut off weights": rf"weights-1\.bin has 500 bytes instead of \d+.*{together}",
            "changed weights": rf"weights-1\.bin is not of this module, or is damaged.*{together}",
            "missing shard": r"weights-\d\.bin has \d+ bytes instead of \d+",
            "no shards": r"weights-1\.bin has 0 bytes instead of \d+",
            "changed weights, no crypto": r"weights-1\.bin is not of this module, or is damaged",
            "no memory": r"too little memory for posenet\.tiny: close other pages",
            "no SIMD": "no SIMD for WebAssembly.*update it",
        },
    )


_FOLDERS = """
import { pathToFileURL } from "node:url";
const words = {};
for (const [name, source] of Object.entries(given.folders)) words[name] = await wordsOf(source);
words.file = await wordsOf(pathToFileURL("published"));
words.relative = await wordsOf("published");
const image = imageOf(given.image);
const all = [given.whole, `${given.whole}/`, new URL(given.whole)];
const models = await Promise.all([...all, filesOf(given.shards)].map(load));
answer({ words, found: models.map((model) => model.find(image)) });
"""


def test_folders_of_web_servers_are_loaded_or_refused_in_words(tmp_path, shared):
    shards = publish_small(tmp_path, quantise="uint8")
    stored = {path.name: path.read_bytes() for path in (tmp_path / "published").iterdir()}
    modules = {name: stored[name] for name in ("model.wasm", "relaxed.wasm")}
    image = read_image(shared / "images" / "photos" / "portrait.jpg")
    files = {f"/whole/{name}": content for name, content in stored.items()}
    files |= {f"/no-weights/{name}": content for name, content in modules.items()}
    files |= {f"/{name}": content for name, content in modules.items()}
    with FaultServer(files) as whole, FaultServer(files) as cut, FaultServer(files) as old:
        cut.add("cut", 1000)
        old.add("html")
        with FaultServer() as gone:
            pass
        folders = {
            "missing": f"{whole.url}/nowhere",
            "no weights": f"{whole.url}/no-weights",
            "connection lost": f"{cut.url}/whole",
            "login page": f"{old.url}/whole",
            "no server": f"{gone.url}/whole",
        }
        given = {"whole": f"{whole.url}/whole", "folders": folders, "shards": shards}
        given["image"] = image_file(tmp_path, image)
        answer = run_script(tmp_path, LOADING + _WORDS + _FOLDERS, given)
        requests = [path for path, _ in whole.requests if path.startswith("/whole/")]
    first, *others = answer["found"]
    assert len(first) == 1
    assert others == [first] * 3
    # A model is one module and its weights, once each.
    assert len(requests) == 3 * (1 + len(shards))
    lost = r"\.wasm cannot be loaded: look whether the server is there"
    assert_words(
        answer["words"],
        {
            "missing": r"/nowhere/\w+\.wasm cannot be loaded \(HTTP 404\).*stay together",
            "no weights": r"/no-weights/weights-1\.bin cannot be loaded \(HTTP 404\)",
            "connection lost": lost,
            "login page": r"\.wasm is damaged or incomplete \(\d+ bytes\)",
            "no server": lost,
            "file": "web servers alone: run python -m http.server.*--single-file",
            "relative": "published/? is no address: give that of the folder",
        },
    )
