// Writes tfjs_nodes.json: small graphs, and what TensorFlow.js's graph executor makes of them.
// Run it in a folder with @tensorflow/tfjs 4.22.0 in node_modules:
// node <this file> > tfjs_nodes.json
import {createRequire} from 'node:module';

import {GRAPHS} from './graph_cases.mjs';
import {NODES} from './node_cases.mjs';

const require = createRequire(`${process.cwd()}/`);
const tf = require('@tensorflow/tfjs');

// Its converter lists these three, but does not read the list: run its ops.
const {raggedGather, raggedRange, raggedTensorToTensor} = tf;
tf.registerOp('RaggedGather', ({inputs, attrs}) => {
  const found = raggedGather(inputs.slice(0, -2), ...inputs.slice(-2), attrs.OUTPUT_RAGGED_RANK);
  return [...found.outputNestedSplits, found.outputDenseValues];
});
tf.registerOp('RaggedRange', ({inputs}) => {
  const {rtNestedSplits, rtDenseValues} = raggedRange(...inputs);
  return [rtNestedSplits, rtDenseValues];
});
tf.registerOp('RaggedTensorToTensor', ({inputs, attrs}) => [raggedTensorToTensor(
    ...inputs.slice(0, 3), inputs.slice(3),
    attrs.row_partition_types.map((name) => name.toUpperCase()))]);

function asTensor({dtype, shape, values}) {
  if (dtype === 'complex64') {
    const part = (k) => tf.tensor(values.filter((_, i) => i % 2 === k), shape);
    return tf.complex(part(0), part(1));
  }
  return tf.tensor(values.map((v) => typeof v === 'string' && dtype !== 'string' ? Number(v) : v),
      shape, dtype);
}

// JSON has no NaN, infinity or -0.
const plain = (x) => Number.isFinite(x) && !Object.is(x, -0) ? x : Object.is(x, -0) ? '-0' : `${x}`;

async function asLiteral(tensor, {random}) {
  const values = Array.from(await tensor.data());
  const literal = {dtype: tensor.dtype, shape: tensor.shape};
  if (random) {
    return {...literal, random};
  }
  return {...literal, values: tensor.dtype === 'string' ? values : values.map(plain)};
}

async function results({nodes, inputs, outputs, expected, random}) {
  if (expected) {
    return expected;
  }
  const fed = Object.keys(inputs).map((name) => ({name, op: 'Placeholder', attr: {}}));
  const modelTopology = {node: [...fed, ...nodes], versions: {producer: 1}};
  const artifacts = {modelTopology, weightSpecs: [], weightData: new ArrayBuffer(0)};
  const model = await tf.loadGraphModel(tf.io.fromMemory(artifacts));
  const feeds = Object.entries(inputs).map(([name, literal]) => [name, asTensor(literal)]);
  const found = await model.executeAsync(Object.fromEntries(feeds), outputs);
  return Promise.all((Array.isArray(found) ? found : [found]).map((t) => asLiteral(t, {random})));
}

// A node of its own: inputs a, b, ..., outputs n, n:1, ...
function graphOf({op, args = [], attr = {}, count = 1, ...rest}) {
  const names = args.map((_, i) => String.fromCharCode(97 + i));
  return {
    nodes: [{name: 'n', op, input: names, attr}],
    inputs: Object.fromEntries(names.map((name, i) => [name, args[i]])),
    outputs: Array.from({length: count}, (_, i) => i ? `n:${i}` : 'n'),
    ...rest,
  };
}

console.warn = console.log = () => {};  // The Print node.
await tf.setBackend('cpu');
const lines = [];
for (const one of [...NODES.map(graphOf), ...GRAPHS]) {
  try {
    const {expected, random, ...document} = one;
    const source = expected ? {source: 'TensorFlow'} : {};
    lines.push(JSON.stringify({...document, ...source, results: await results(one)}));
  } catch (error) {
    throw new Error(`${JSON.stringify(one.nodes)}: ${error.stack}`);
  }
}
process.stdout.write(`{"version": "${tf.version.tfjs}",\n "graphs": [\n  ${lines.join(',\n  ')}\n]}\n`);
