// Loads models with npm's @tensorflow/tfjs and runs them: node runner.mjs NODE_MODULES JOBS ANSWERS
//
// JOBS is a JSON list of {"model": path of model.json, "inputs": {name: array}}, ANSWERS will be a
// list of {output: array}; an array is {"shape", "dtype", "data": its bytes in base64}.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const [, , modules, jobs, answers] = process.argv;
const tf = createRequire(join(modules, 'from-here.js'))('@tensorflow/tfjs');

const ARRAYS = { float32: Float32Array, int32: Int32Array, bool: Uint8Array };

function handler(path) {
  const load = async () => tf.io.getModelArtifactsForJSON(
    JSON.parse(readFileSync(path, 'utf8')),
    async (manifest) => {
      const shards = manifest.flatMap((group) => group.paths);
      const parts = shards.map((name) => readFileSync(join(dirname(path), name)));
      const bytes = Buffer.concat(parts);
      const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      return [manifest.flatMap((group) => group.weights), data];
    },
  );
  return { load };
}

function decode({ shape, dtype, data }) {
  const bytes = Buffer.from(data, 'base64');
  const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return tf.tensor(new ARRAYS[dtype](copy), shape, dtype);
}

async function encode(tensor) {
  const values = await tensor.data();
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return { shape: tensor.shape, dtype: tensor.dtype, data: bytes.toString('base64') };
}

async function run({ model: path, inputs }) {
  const tensors = Object.fromEntries(Object.entries(inputs).map(([n, a]) => [n, decode(a)]));
  const layers = JSON.parse(readFileSync(path, 'utf8')).format === 'layers-model';
  if (layers) {
    const model = await tf.loadLayersModel(handler(path));
    const given = model.predict(Object.values(tensors));
    const results = Array.isArray(given) ? given : [given];
    return Object.fromEntries(await Promise.all(
      results.map(async (result, i) => [String(i), await encode(result)]),
    ));
  }
  const model = await tf.loadGraphModel(handler(path));
  const names = Object.keys(model.modelSignature.outputs);
  const results = [await model.executeAsync(tensors, names)].flat();
  return Object.fromEntries(await Promise.all(
    results.map(async (result, i) => [names[i], await encode(result)]),
  ));
}

await tf.setBackend('cpu');
const done = [];
for (const job of JSON.parse(readFileSync(jobs, 'utf8'))) done.push(await run(job));
writeFileSync(answers, JSON.stringify(done));
