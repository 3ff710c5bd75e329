// Loads layer models with npm's @tensorflow/tfjs, and saves them with their optimizers.
//
// node layers.mjs NODE_MODULES JOBS ANSWERS: JOBS is a JSON list of {"model": path of model.json,
// "inputs": [array], "outputs": [array], "steps": of training, "saved": folder, "optimizer": whether
// it is saved, too}, ANSWERS will be a list of {"predictions": [array]}; an array is {"shape", "dtype", "data": its bytes in base64}.
// Without "model" the job has "made": the name of a model that is made and compiled here.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const [, , modules, jobs, answers] = process.argv;
const tf = createRequire(join(modules, 'from-here.js'))('@tensorflow/tfjs');

function bytesOf(buffer) {
  return buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength);
}

function loader(path) {
  const load = async () => tf.io.getModelArtifactsForJSON(
    JSON.parse(readFileSync(path, 'utf8')),
    async (manifest) => {
      const shards = manifest.flatMap((group) => group.paths);
      const data = Buffer.concat(shards.map((name) => readFileSync(join(dirname(path), name))));
      return [manifest.flatMap((group) => group.weights), bytesOf(data)];
    },
  );
  return { load };
}

function saver(folder) {
  const save = async (artifacts) => {
    mkdirSync(folder, { recursive: true });
    const { weightData, weightSpecs, ...document } = artifacts;
    document.weightsManifest = [{ paths: ['weights.bin'], weights: weightSpecs }];
    const data = tf.io.CompositeArrayBuffer.join(weightData);
    writeFileSync(join(folder, 'weights.bin'), Buffer.from(data));
    writeFileSync(join(folder, 'model.json'), JSON.stringify(document));
    return { modelArtifactsInfo: tf.io.getModelArtifactsInfoForJSON(artifacts) };
  };
  return { save };
}

function decode({ shape, dtype, data }) {
  const bytes = bytesOf(Buffer.from(data, 'base64'));
  return tf.tensor(new { float32: Float32Array, int32: Int32Array }[dtype](bytes), shape, dtype);
}

async function encode(tensor) {
  const values = await tensor.data();
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return { shape: tensor.shape, dtype: tensor.dtype, data: bytes.toString('base64') };
}

const MADE = {
  sequential() {
    const model = tf.sequential({ name: 'made' });
    model.add(tf.layers.conv2d({ inputShape: [5, 5, 2], filters: 3, kernelSize: 2 }));
    model.add(tf.layers.batchNormalization());
    model.add(tf.layers.leakyReLU({ alpha: 0.2 }));
    model.add(tf.layers.flatten());
    model.add(tf.layers.dense({
      units: 2, activation: 'softmax', kernelRegularizer: tf.regularizers.l2({ l2: 0.01 }),
    }));
    model.compile({
      optimizer: tf.train.adam(0.01), loss: 'categoricalCrossentropy', metrics: ['accuracy'],
    });
    return model;
  },
  recurrent() {
    const steps = tf.input({ shape: [4, 3] });
    const inner = tf.layers.lstm({ units: 2, recurrentActivation: 'sigmoid', returnSequences: true });
    const both = tf.layers.bidirectional({ layer: inner, mergeMode: 'concat' }).apply(steps);
    const cells = [tf.layers.lstmCell({ units: 3, recurrentActivation: 'sigmoid' })];
    const last = tf.layers.rnn({ cell: cells }).apply(both);
    const model = tf.model({ inputs: steps, outputs: tf.layers.dense({ units: 1 }).apply(last) });
    model.compile({ optimizer: tf.train.momentum(0.1, 0.5), loss: 'meanSquaredError' });
    return model;
  },
};

async function run({ model: path, made, inputs, outputs, steps, saved, optimizer }) {
  const model = made ? MADE[made]() : await tf.loadLayersModel(loader(path));
  const [xs, ys] = [inputs.map(decode), outputs.map(decode)];
  for (let i = 0; i < steps; i += 1) await model.trainOnBatch(xs, ys);
  await model.save(saver(saved), { includeOptimizer: optimizer });
  const given = [model.predict(xs)].flat();
  return { predictions: await Promise.all(given.map(encode)) };
}

await tf.setBackend('cpu');
const done = [];
for (const job of JSON.parse(readFileSync(jobs, 'utf8'))) {
  try {
    done.push(await run(job));
  } catch (error) {
    done.push({ error: `${error}` });
  }
}
writeFileSync(answers, JSON.stringify(done));
