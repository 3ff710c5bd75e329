// Runs one network by several runtimes in Node, in turn, on one thread; prints times and outputs as JSON.
//
// node inference.mjs NODE_FOLDER CASE ROUNDS; the folder CASE is written by inference.py.
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const [modules, folder, rounds] = process.argv.slice(2);
const require = createRequire(path.join(modules, "package.json"));
const file = (name) => path.join(folder, name);
const facts = JSON.parse(fs.readFileSync(file("case.json"), "utf8"));
const input = new Float32Array(new Uint8Array(fs.readFileSync(file("input.bin"))).buffer);

/** Ours: the module that core.wasm.plans compiles, without or with relaxed SIMD. */
async function compiled(name) {
  const { instance } = await WebAssembly.instantiate(fs.readFileSync(file(name)), {});
  const { memory, run } = instance.exports;
  new Uint8Array(memory.buffer).set(fs.readFileSync(file("weights.bin")), facts.weights);
  const view = ({ shape, address }) => (
    new Float32Array(memory.buffer, address, shape.reduce((a, b) => a * b, 1)));
  const given = view(facts.input), outputs = facts.outputs.map(view);
  return async () => { given.set(input); run(); return outputs; };
}

/** TensorFlow.js on its wasm backend. */
async function tfjs() {
  const tf = require("@tensorflow/tfjs-core");
  const { loadGraphModel } = require("@tensorflow/tfjs-converter");
  const wasm = require("@tensorflow/tfjs-backend-wasm");
  wasm.setWasmPaths(path.join(path.dirname(require.resolve("@tensorflow/tfjs-backend-wasm")), "/"));
  wasm.setThreadsCount(1);
  await tf.setBackend("wasm");
  await tf.ready();
  if (!await tf.env().getAsync("WASM_HAS_SIMD_SUPPORT")) throw new Error("no SIMD");
  const document = JSON.parse(fs.readFileSync(file("web/model.json"), "utf8"));
  const groups = document.weightsManifest;
  const shards = groups.flatMap((group) => group.paths).map((name) => fs.readFileSync(file(`web/${name}`)));
  const weightSpecs = groups.flatMap((group) => group.weights);
  const weightData = new Uint8Array(Buffer.concat(shards)).buffer;
  const model = await loadGraphModel({ load: async () => ({ ...document, weightSpecs, weightData }) });
  return async () => {
    const x = tf.tensor(input, facts.input.shape);
    const found = [model.predict(x)].flat();
    const values = found.map((tensor) => tensor.dataSync());
    tf.dispose([x, found]);
    return values;
  };
}

/** ONNX Runtime's package for the web, with its wasm provider. */
async function onnx() {
  const ort = await import(pathToFileURL(path.join(modules, "node_modules/onnxruntime-web/dist/ort.wasm.min.mjs")));
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = pathToFileURL(path.join(modules, "node_modules/onnxruntime-web/dist/")).href;
  const session = await ort.InferenceSession.create(
    new Uint8Array(fs.readFileSync(file("model.onnx"))), { executionProviders: ["wasm"] });
  return async () => {
    const feeds = { [session.inputNames[0]]: new ort.Tensor("float32", input, facts.input.shape) };
    const found = await session.run(feeds);
    return session.outputNames.map((name) => found[name].data);
  };
}

/** LiteRT.js, which is for pages: its loader gets the functions of a worker that it asks for. */
async function litert() {
  const wasm = path.join(modules, "node_modules/@litertjs/core/wasm/");
  Object.assign(globalThis, {
    self: globalThis, require, __dirname: wasm, __filename: path.join(wasm, "loader.js"),
    importScripts: (name) => vm.runInThisContext(fs.readFileSync(name, "utf8"), { filename: name }),
    fetch: async (name) => new Response(fs.readFileSync(name), { headers: { "content-type": "application/wasm" } }),
  });
  const { loadLiteRt, loadAndCompile, Tensor } = await import(
    pathToFileURL(path.join(modules, "node_modules/@litertjs/core/dist/index.js")));
  await loadLiteRt(wasm);
  const model = await loadAndCompile(new Uint8Array(fs.readFileSync(file("model.tflite"))), { accelerator: "wasm" });
  return async () => {
    const x = new Tensor(input, facts.input.shape);
    const found = await model.run(x);
    const values = await Promise.all(found.map((tensor) => tensor.data()));
    for (const tensor of [x, ...found]) tensor.delete();
    return values;
  };
}

const makers = {
  ours: () => compiled("model.wasm"), relaxed: () => compiled("relaxed.wasm"), tfjs, onnx, litert,
};
const sides = {}, missing = {}, first = {};
for (const [name, make] of Object.entries(makers)) {
  const start = performance.now();
  try {
    sides[name] = await make();
    await sides[name]();
    first[name] = performance.now() - start;
  } catch (error) {
    missing[name] = String(error.message ?? error);
  }
}
const names = Object.keys(sides);
const outputs = {}, times = Object.fromEntries(names.map((name) => [name, []]));
for (const name of names) {
  for (let i = 0; i < 4; i += 1) outputs[name] = (await sides[name]()).map((values) => Array.from(values));
}
for (let round = 0; round < Number(rounds); round += 1) {
  for (let turn = 0; turn < names.length; turn += 1) {
    const name = names[(round + turn) % names.length];
    const start = performance.now();
    await sides[name]();
    times[name].push(performance.now() - start);
  }
}
fs.writeFileSync(file("answer.json"), JSON.stringify({ times, first, outputs, missing }));
process.exit(0);
