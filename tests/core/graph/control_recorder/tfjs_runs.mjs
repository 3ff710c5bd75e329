// Reads the graphs of control_graphs.json and adds to each run what TensorFlow.js computes, or why
// it does not. Run it in a folder with @tensorflow/tfjs 4.22.0 in node_modules.
import {readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const require = createRequire(`${process.cwd()}/`);
const tf = require('@tensorflow/tfjs');
const path = process.argv[2];
const cases = JSON.parse(readFileSync(path, 'utf8'));

const asTensor = ({dtype, shape, values}) => tf.tensor(values.flat(Infinity), shape, dtype);

function artifacts({topology, weights}) {
  const specs = Object.entries(weights).map(([name, w]) => ({name, ...w}));
  const parts = specs.map(({dtype, values}) => {
    const flat = [values].flat(Infinity);
    const array = dtype === 'int32' ? Int32Array.from(flat) : Float32Array.from(flat);
    return Buffer.from(array.buffer);
  });
  const bytes = Buffer.concat(parts);
  return {
    modelTopology: {...topology, versions: {producer: 1}},
    weightSpecs: specs.map(({name, dtype, shape}) => ({name, dtype, shape})),
    weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  };
}

for (const one of Object.values(cases)) {
  const model = await tf.loadGraphModel(tf.io.fromMemory(artifacts(one)));
  for (const run of one.runs) {
    const feeds = Object.fromEntries(
        Object.entries(run.inputs).map(([name, values]) => [name, tf.tensor(values)]));
    try {
      const found = [await model.executeAsync(feeds, one.outputs)].flat();
      run.tfjs = found.map((t) => ({dtype: t.dtype, shape: t.shape, values: t.arraySync()}));
    } catch (error) {
      run.tfjs = String(error.message).slice(0, 80);
    }
  }
}
writeFileSync(path, `${JSON.stringify(cases)}\n`);
