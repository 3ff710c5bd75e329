// Writes optimizer_trajectories.json: what the optimizers of TensorFlow.js do, step by step.
// Run it in a folder with @tensorflow/tfjs-core and @tensorflow/tfjs-backend-cpu 4.22.0 in
// node_modules: node <this file> > optimizer_trajectories.json
import {createRequire} from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const tf = require('@tensorflow/tfjs-core');
require('@tensorflow/tfjs-backend-cpu');

const START = [1, -2, 0.5, 3, -0.25];
// Large, small and fading gradients, zeros, changes of sign; never from the same sign alone.
const GRADIENTS = [
  [0.5, -1, 0, 100, 1e-4],
  [0.25, 1, 0, -50, 2e-4],
  [-0.5, 0.125, 0.1, 0, 1e-4],
  [1, -2, 0, 1000, -3e-4],
  [0, 0, 0, 0, 0],
  [0.75, 0.5, -2, 0.01, 1e-6],
  [-0.3, 0.7, 0.2, -20, 5e-4],
  [0.1, -0.9, 1e-3, 3, 0],
];

// The name, its arguments here, and those that they are in Python.
const CONFIGURATIONS = [
  ['sgd', [0.1], {learning_rate: 0.1}],
  ['momentum', [0.1, 0.9], {learning_rate: 0.1, momentum: 0.9}],
  ['momentum', [0.1, 0.9, true], {learning_rate: 0.1, momentum: 0.9, use_nesterov: true}],
  ['rmsprop', [0.1], {learning_rate: 0.1}],
  ['rmsprop', [0.1, 0.8, 0.5], {learning_rate: 0.1, decay: 0.8, momentum: 0.5}],
  ['rmsprop', [0.1, 0.9, 0.5, null, true], {learning_rate: 0.1, momentum: 0.5, centered: true}],
  ['rmsprop', [0.1, 0.9, 0, 0.01], {learning_rate: 0.1, epsilon: 0.01}],
  ['adam', [], {}],
  ['adam', [0.1], {learning_rate: 0.1}],
  ['adam', [0.1, 0.8, 0.95, 0.01], {learning_rate: 0.1, beta1: 0.8, beta2: 0.95, epsilon: 0.01}],
  ['adadelta', [], {}],
  ['adadelta', [1, 0.9, 1e-6], {learning_rate: 1, rho: 0.9, epsilon: 1e-6}],
  ['adamax', [], {}],
  ['adamax', [0.1, 0.8, 0.95, 0.01, 0.5],
    {learning_rate: 0.1, beta1: 0.8, beta2: 0.95, epsilon: 0.01, decay: 0.5}],
  ['adagrad', [0.1], {learning_rate: 0.1}],
  ['adagrad', [0.5, 0.01], {learning_rate: 0.5, initial_accumulator_value: 0.01}],
];

// JSON has no NaN.
const numbers = (tensor) => Array.from(tensor.dataSync(), (x) => Number.isNaN(x) ? 'NaN' : x);

async function trajectory([name, args, config], index) {
  const w = tf.variable(tf.tensor1d(START), true, `w${index}`);
  const optimizer = tf.train[name](...args);
  const values = [];
  for (const gradient of GRADIENTS) {
    optimizer.applyGradients({[w.name]: tf.tensor1d(gradient)});
    values.push(numbers(w));
  }
  let weights = null;
  if (name !== 'adamax') {  // which has no getWeights
    weights = (await optimizer.getWeights()).map(({name, tensor}) =>
      [name.replace(w.name, 'w'), numbers(tensor)]);
  }
  return {name, config, values, weights};
}

const trajectories = [];
for (const [index, each] of CONFIGURATIONS.entries()) trajectories.push(await trajectory(each, index));
const lines = trajectories.map((t) => `  ${JSON.stringify(t)}`).join(',\n');
process.stdout.write(`{"version": "${tf.version_core}",
 "start": ${JSON.stringify(START)},
 "gradients": ${JSON.stringify(GRADIENTS)},
 "trajectories": [
${lines}
]}
`);
