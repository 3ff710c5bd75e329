import { embeddedSource } from "./embedded.js";
import { ZooError } from "./errors.js";
import { sha256 } from "./sha256.js";
import { widenedWeights } from "./weights.js";

/** Modules that are valid where an engine has SIMD, and relaxed SIMD: (i8x16.popcnt, swizzle). */
const PROBE = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10];
const SIMD_PROBE = [...PROBE, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
const RELAXED_PROBE = [...PROBE, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2, 253, 15, 253, 128, 2, 11];

/** Section of a module with its description. */
const SECTION = "zoo";

const TOGETHER = "the files of a published folder stay together, as zoo publish wrote them";

/**
 * Load a published module with its weights.
 *
 * @param source the address of the folder, by default that of this script; or what the folder
 *   holds, as {modules: {simd, relaxed}, shards}: bytes
 * @returns {description, networks, relaxed}: what the module says of itself, each network by its
 *   name, and whether it runs with relaxed SIMD
 */
export async function loadNetworks(source = embeddedSource() ?? new URL(".", import.meta.url)) {
  if (!isValidModule(SIMD_PROBE)) {
    throw new ZooError(
      "this browser has no SIMD for WebAssembly, which the model needs: update it (Chrome 91, " +
        "Firefox 89 and Safari 16.4 have it, as all later ones)",
    );
  }
  const canRelax = isValidModule(RELAXED_PROBE);
  const files = source?.modules ? embeddedFiles(source, canRelax) : folderFiles(source, canRelax);
  const module = await compiledModule(await files.module(), files.name);
  const description = readDescription(module, files.name);
  const { exports } = await instantiated(module, description.model);
  const memory = new Uint8Array(exports.memory.buffer);
  const weights = await loadedWeights(description.weights, files);
  memory.set(weights, description.weights.address);
  const networks = Object.entries(description.networks).map(([name, record]) => {
    return [name, new Network(exports[name], exports.memory, record)];
  });
  return { description, networks: Object.fromEntries(networks), relaxed: files.relaxed };
}

/** A network: its input has a size [height, width], and `preprocess` says how images become it. */
export class Network {
  constructor(run, memory, { input, outputs, preprocess }) {
    this.compute = run;
    this.memory = memory;
    this.input = input;
    this.outputs = outputs;
    this.preprocess = preprocess;
    this.size = input.shape.slice(1, 3);
  }

  /** The outputs for an input, by name, as copies. */
  run(values) {
    const { buffer } = this.memory;
    new Float32Array(buffer, this.input.address, values.length).set(values);
    this.compute();
    const outputs = Object.entries(this.outputs).map(([name, { address, shape }]) => {
      const length = shape.reduce((product, side) => product * side, 1);
      return [name, new Float32Array(buffer, address, length).slice()];
    });
    return Object.fromEntries(outputs);
  }
}

function isValidModule(bytes) {
  return WebAssembly.validate(Uint8Array.from(bytes));
}

/** What loads the files of a folder. */
function folderFiles(source, relaxed) {
  const folder = folderAddress(source);
  const name = relaxed ? "relaxed.wasm" : "model.wasm";
  return {
    name,
    relaxed,
    module: () => fetchedBytes(folder, name),
    shard: ({ path }) => fetchedBytes(folder, path),
  };
}

/** What gives files that are in memory. */
function embeddedFiles({ modules, shards }, canRelax) {
  const relaxed = canRelax && Boolean(modules.relaxed);
  const kind = relaxed ? "relaxed" : "simd";
  return {
    name: `the ${kind} module`,
    relaxed,
    module: async () => modules[kind],
    shard: async (_, number) => shards[number],
  };
}

/** The address of a folder, with the slash at its end. */
function folderAddress(source) {
  const address = String(source);
  try {
    return new URL(address.endsWith("/") ? address : `${address}/`, globalThis.document?.baseURI);
  } catch {
    throw new ZooError(`${address} is no address: give that of the folder, such as https://..`);
  }
}

async function fetchedBytes(folder, name) {
  const address = new URL(name, folder);
  let response;
  let content;
  try {
    response = await fetch(address);
    content = await response.arrayBuffer();
  } catch {
    const advice =
      address.protocol === "file:"
        ? "browsers load modules from web servers alone: run python -m http.server in the " +
          "folder, or publish with --single-file"
        : "look whether the server is there, and try again";
    throw new ZooError(`${address} cannot be loaded: ${advice}`);
  }
  if (!response.ok) {
    throw new ZooError(`${address} cannot be loaded (HTTP ${response.status}): ${TOGETHER}`);
  }
  return new Uint8Array(content);
}

async function compiledModule(bytes, name) {
  try {
    return await WebAssembly.compile(bytes);
  } catch {
    const found = bytes?.length ?? 0;
    throw new ZooError(
      `${name} is damaged or incomplete (${found} bytes): upload it again; ${TOGETHER}`,
    );
  }
}

async function instantiated(module, model) {
  try {
    return await WebAssembly.instantiate(module, {});
  } catch {
    throw new ZooError(`there is too little memory for ${model}: close other pages`);
  }
}

function readDescription(module, name) {
  const [section] = WebAssembly.Module.customSections(module, SECTION);
  if (!section) {
    throw new ZooError(`${name} does not say what it computes: ${TOGETHER}`);
  }
  return JSON.parse(new TextDecoder().decode(section));
}

/** The weights as they lie in memory, of shards that are those of the module. */
async function loadedWeights({ shards, pieces, bytes }, files) {
  const parts = await Promise.all(
    shards.map(async (shard, number) => checkedShard(await files.shard(shard, number), shard)),
  );
  return widenedWeights(parts, pieces, bytes);
}

async function checkedShard(content, { path, bytes, sha256: digest }) {
  const found = content?.length ?? 0;
  if (found !== bytes) {
    throw new ZooError(
      `${path} has ${found} bytes instead of ${bytes}: upload it again; ${TOGETHER}`,
    );
  }
  if ((await sha256(content)) !== digest) {
    throw new ZooError(`${path} is not of this module, or is damaged: ${TOGETHER}`);
  }
  return content;
}
