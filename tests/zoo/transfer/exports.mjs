// Runs exports with npm's @tensorflow/tfjs: node exports.mjs NODE_MODULES JOBS ANSWERS
//
// JOBS is a JSON list of {"folder": an export, "values": [shape, uint8 or float32 in base64]}; uint8
// are pixels, which become what the library @teachablemachine/image feeds. ANSWERS will be a list of
// {"labels": of the metadata, "format": of the model, "outputs": rows of numbers}.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [, , modules, jobs, answers] = process.argv;
const tf = createRequire(join(modules, 'from-here.js'))('@tensorflow/tfjs');

function bytesOf(buffer) {
  return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
}

function loader(folder) {
  const load = async () => tf.io.getModelArtifactsForJSON(
    JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')),
    async (manifest) => {
      const [{ paths: [name], weights }] = manifest;
      return [weights, bytesOf(readFileSync(join(folder, name)))];
    },
  );
  return { load };
}

function inputOf({ shape, dtype, data }) {
  const bytes = bytesOf(Buffer.from(data, 'base64'));
  if (dtype === 'float32') return tf.tensor(new Float32Array(bytes), shape);
  const pixels = tf.tensor(new Uint8Array(bytes), shape, 'int32');
  return pixels.toFloat().div(tf.scalar(127)).sub(tf.scalar(1)); // as in utils/tf.ts, capture
}

async function run({ folder, values }) {
  const { labels } = JSON.parse(readFileSync(join(folder, 'metadata.json'), 'utf8'));
  const { format } = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'));
  const load = format === 'layers-model' ? tf.loadLayersModel : tf.loadGraphModel;
  const model = await load(loader(folder));
  return { labels, format, outputs: await model.predict(inputOf(values)).array() };
}

await tf.setBackend('cpu');
const done = [];
for (const job of JSON.parse(readFileSync(jobs, 'utf8'))) done.push(await run(job));
writeFileSync(answers, JSON.stringify(done));
