// Loads web models with TensorFlow.js on request, one line of JSON each, and answers with its times.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const tf = createRequire(path.join(process.argv[2], 'package.json'))('@tensorflow/tfjs');
tf.env().set('PROD', true);
await tf.setBackend('cpu');

const fromDisk = file => ({load: async () => {
  const document = JSON.parse(fs.readFileSync(file, 'utf8'));
  const groups = document.weightsManifest;
  const shards = groups.flatMap(group => group.paths)
      .map(name => fs.readFileSync(path.join(path.dirname(file), name)));
  const weightSpecs = groups.flatMap(group => group.weights);
  const weightData = new Uint8Array(Buffer.concat(shards)).buffer;
  return {...document, weightSpecs, weightData};
}});

const zeros = input => tf.zeros(input.shape.map(n => (n ?? -1) < 0 ? 1 : n), input.dtype);

async function run(model, layers) {
  const inputs = model.inputs.map(zeros);
  const given = inputs.length == 1 ? inputs[0] : inputs;
  const start = performance.now();
  const outputs = layers ? model.predict(given) : await model.executeAsync(given);
  await Promise.all([outputs].flat().map(output => output.data()));
  const taken = performance.now() - start;
  tf.dispose([outputs, inputs]);
  return taken;
}

for await (const line of readline.createInterface({input: process.stdin})) {
  const {file, layers, running} = JSON.parse(line);
  const start = performance.now();
  const model = await (layers ? tf.loadLayersModel : tf.loadGraphModel)(fromDisk(file));
  const times = {load: performance.now() - start};
  if (running) times.first_run = await run(model, layers);
  console.log(JSON.stringify(times));
  model.dispose();
}
