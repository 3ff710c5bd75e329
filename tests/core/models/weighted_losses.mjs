// Writes weighted_losses.json: what the nine functions of TensorFlow.js's tf.losses return, with
// the gradient by the predictions of the sum of what they return.
// Run it in a folder with @tensorflow/tfjs 4.22.0 in node_modules:
// node <this file> > weighted_losses.json
import {createRequire} from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const tf = require('@tensorflow/tfjs');

const LABELS = [[1, 0, 0], [0, 1, 0]];
const SHARES = [[0.7, 0.2, 0.1], [0.25, 0.5, 0.25]];
const SCORES = [[2.5, -1, 0.5], [-40, 80, 0.25]];
const WEIGHTS = {
  none: [null, null],
  each: [[[1, 0.5, 0], [2, 1, 0.25]], [[0.5], [2]]],  // of elements; of rows, for losses by rows
  rows: [[[0.5], [0]], [[0], [2]]],
  one: [0.5, 0.5],
};
// The name, its predictions, whether its losses are of rows, arguments before the weights, and
// those between weights and reduction, each as [name in Python, value].
const FUNCTIONS = [
  ['absoluteDifference', SCORES, false, [], []],
  ['cosineDistance', SHARES, true, [['axis', 1]], []],
  ['hingeLoss', SCORES, false, [], []],
  ['huberLoss', SCORES, false, [], [['delta', 0.75]]],
  ['huberLoss', SCORES, false, [], []],
  ['logLoss', SHARES, false, [], []],
  ['logLoss', SHARES, false, [], [['epsilon', 0.01]]],
  ['meanSquaredError', SCORES, false, [], []],
  ['sigmoidCrossEntropy', SCORES, false, [], []],
  ['sigmoidCrossEntropy', SCORES, false, [], [['label_smoothing', 0.2]]],
  ['softmaxCrossEntropy', SCORES, 'flat', [], []],
  ['softmaxCrossEntropy', SCORES, 'flat', [], [['label_smoothing', 0.2]]],
];
const DEFAULTS = {huberLoss: 1, logLoss: 1e-7, sigmoidCrossEntropy: 0, softmaxCrossEntropy: 0};

const weightsOf = (byRows, [elements, rows]) =>
  byRows === 'flat' && Array.isArray(rows) ? rows.flat() : byRows ? rows : elements;

function record([name, predictions, byRows, before, after], given, reduction) {
  const weights = weightsOf(byRows, given);
  const middle = after.length ? after.map(([, v]) => v) : name in DEFAULTS ? [DEFAULTS[name]] : [];
  const value = (x) => tf.losses[name](
    tf.tensor2d(LABELS), x, ...before.map(([, v]) => v),
    weights === null ? undefined : tf.tensor(weights), ...middle, tf.Reduction[reduction]);
  const x = tf.tensor2d(predictions);
  return {
    name, labels: LABELS, predictions, weights, reduction,
    options: Object.fromEntries([...before, ...after]),
    value: value(x).arraySync(),
    gradient: tf.grad((y) => tf.sum(value(y)))(x).arraySync(),
  };
}

const REDUCTIONS = ['NONE', 'MEAN', 'SUM', 'SUM_BY_NONZERO_WEIGHTS'];
const lines = FUNCTIONS.flatMap((row) => Object.values(WEIGHTS).flatMap((given) =>
  REDUCTIONS.map((reduction) => JSON.stringify(record(row, given, reduction)))));
process.stdout.write(`[\n${lines.join(',\n')}\n]\n`);
