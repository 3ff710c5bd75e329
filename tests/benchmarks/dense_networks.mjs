// Trains fully connected networks with TensorFlow.js on request, one line of JSON each.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const BATCH = 64, LOSSES = 3, RATE = 0.02;
const TURN_MS = 100, LEAST_CALLS = 3;  // Whatever is slow need not go through all batches.

const [modules, backend] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'package.json'));
const tf = require('@tensorflow/tfjs');
if (backend == 'wasm') require('@tensorflow/tfjs-backend-wasm');
tf.env().set('PROD', true);
console.warn = () => {};
await tf.setBackend(backend);
await tf.ready();

const readArrays = file => {
  const shapes = JSON.parse(fs.readFileSync(`${file}.json`, 'utf8'));
  const values = new Float32Array(new Uint8Array(fs.readFileSync(`${file}.bin`)).buffer);
  let start = 0;
  return Object.entries(shapes).map(([name, shape]) => {
    const end = start + shape.reduce((a, b) => a * b, 1);
    const array = tf.tensor(values.slice(start, end), shape);
    start = end;
    return array;
  });
};

const makeModel = weights => {
  const model = tf.sequential();
  const kernels = weights.filter((_, i) => i % 2 == 0);
  kernels.forEach((kernel, i) => model.add(tf.layers.dense({
    inputShape: [kernel.shape[0]],
    units: kernel.shape[1],
    activation: i == kernels.length - 1 ? 'softmax' : 'sigmoid',
  })));
  model.compile({optimizer: tf.train.sgd(RATE), loss: 'categoricalCrossentropy'});
  model.setWeights(weights);
  return model;
};

let model, batches;

const start = async file => {
  const [x, y, ...weights] = readArrays(file);
  model = makeModel(weights);
  batches = [];
  for (let i = 0; i < x.shape[0]; i += BATCH) {
    batches.push([x.slice(i, BATCH), y.slice(i, BATCH)]);
  }
  const losses = [];
  for (let i = 0; i < LOSSES; i++) losses.push(await model.trainOnBatch(...batches[i]));
  await turn(train);
  await turn(predict);
  return losses;
};

const train = async ([x, y]) => model.trainOnBatch(x, y);

const predict = async ([x]) => {
  const output = model.predict(x);
  await output.data();
  output.dispose();
};

const turn = async run => {
  const started = performance.now();
  let calls = 0;
  while (calls < batches.length) {
    await run(batches[calls++]);
    if (calls >= LEAST_CALLS && performance.now() - started > TURN_MS) break;
  }
  return (performance.now() - started) / calls;
};

for await (const line of readline.createInterface({input: process.stdin})) {
  const wish = JSON.parse(line);
  const answer = wish.do == 'start' ? await start(wish.file) :
      await turn(wish.do == 'train' ? train : predict);
  console.log(JSON.stringify(answer));
}
