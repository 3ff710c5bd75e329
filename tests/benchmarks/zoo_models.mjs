// Runs web models with TensorFlow.js on request, one line of JSON each, and answers with the time.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const tf = createRequire(path.join(process.argv[2], 'package.json'))('@tensorflow/tfjs');
tf.env().set('PROD', true);
console.warn = () => {};  // That execute would do where executeAsync is called.
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

const loaded = new Map();

for await (const line of readline.createInterface({input: process.stdin})) {
  const {file, layers, input, shape, dtype} = JSON.parse(line);
  if (!loaded.has(file)) {
    loaded.set(file, await (layers ? tf.loadLayersModel : tf.loadGraphModel)(fromDisk(file)));
  }
  const model = loaded.get(file);
  const bytes = new Uint8Array(fs.readFileSync(input)).buffer;
  const values = dtype == 'float32' ? new Float32Array(bytes) : new Int32Array(bytes);
  const start = performance.now();
  const given = tf.tensor(values, shape, dtype);
  const outputs = layers ? model.predict(given) : await model.executeAsync(given);
  await Promise.all([outputs].flat().map(output => output.data()));
  console.log(performance.now() - start);
  tf.dispose([outputs, given]);
}
