// Writes tensorflow_js_models.json: small models made in TensorFlow.js with what they give.
// node tensorflow_js_models.mjs, where @tensorflow/tfjs is installed.
import * as tf from '@tensorflow/tfjs';
import {writeFileSync} from 'node:fs';

const L = tf.layers;
const models = {};
let state = 12345;

function draw() {  // the same numbers each time
  state = (state * 1103515245 + 12345) % 2147483648;
  return Math.round((state / 2147483648 * 1.8 - 0.9) * 100) / 100;
}

function drawn(shape, low) {
  const count = shape.reduce((a, b) => a * b, 1);
  const values = Array.from({length: count}, draw);
  return tf.tensor(low === undefined ? values : values.map(v => Math.abs(v) + low), shape);
}

function stored(t) {
  const values = Array.from(t.dataSync(), v => t.dtype === 'float32' ? Number(v.toPrecision(6)) : v);
  return {shape: t.shape, dtype: t.dtype, values};
}

function stripped(key, value) {  // without what inference does not need, to keep the file small
  return /(initializer|regularizer|constraint)$/.test(key) ? undefined : value;
}

function add(name, model, ...inputs) {
  for (const w of model.weights) {
    w.write(drawn(w.shape, w.originalName.includes('variance') ? 0.2 : undefined));
  }
  const found = model.predict(inputs.length > 1 ? inputs : inputs[0]);
  const outputs = Array.isArray(found) ? found : [found];
  const weights = {};
  for (const w of model.weights) weights[w.originalName] = stored(w.read());
  models[name] = {
    topology: JSON.parse(model.toJSON(null, true), name === 'nested' ? undefined : stripped),
    weights,
    inputs: inputs.map(stored),
    outputs: outputs.map(stored),
  };
}

function chain(name, shape, x, ...layers) {
  const model = tf.sequential();
  layers.forEach((make, i) => model.add(make(i ? {} : {inputShape: shape})));
  add(name, model, x ?? drawn([2, ...shape.map(n => n ?? 5)]));
}

const of = (make, options = {}) => more => make({...options, ...more});

chain('conv', [6, 5, 2], null,
  of(L.conv2d, {filters: 3, kernelSize: [3, 2], padding: 'same', activation: 'relu6'}),
  of(L.depthwiseConv2d, {kernelSize: 2, depthMultiplier: 2, activation: 'hardSigmoid'}),
  of(L.separableConv2d, {filters: 2, kernelSize: 2, strides: 2, activation: 'logSoftmax'}));
chain('conv_transpose', [3, 3, 2], null,
  of(L.conv2dTranspose, {filters: 2, kernelSize: 3, strides: 2, padding: 'same'}),
  of(L.upSampling2d, {size: [2, 3]}), of(L.cropping2D, {cropping: [[1, 0], [0, 2]]}),
  of(L.zeroPadding2d, {padding: [1, 2]}));
chain('conv3d', [3, 4, 3, 1], null, of(L.conv3d, {filters: 2, kernelSize: 2}),
  of(L.conv3dTranspose, {filters: 1, kernelSize: 2, strides: 2}), of(L.maxPooling3d, {poolSize: 2}));
chain('conv1d', [7, 2], null, of(L.conv1d, {filters: 3, kernelSize: 3, activation: 'swish'}),
  of(L.averagePooling1d, {poolSize: 2}), of(L.globalMaxPooling1d));
chain('bilinear', [2, 3, 1], null, of(L.upSampling2d, {size: [2, 3], interpolation: 'bilinear'}));
chain('normalised', [3, 4, 2], null, of(L.batchNormalization), of(L.layerNormalization),
  of(L.globalAveragePooling2d, {dataFormat: 'channelsLast'}));
chain('activations', [4], drawn([3, 4]).mul(4), of(L.reLU, {maxValue: 2}), of(L.leakyReLU, {alpha: 0.2}),
  of(L.prelu), of(L.elu), of(L.thresholdedReLU, {theta: 0.1}), of(L.softmax));
for (const activation of ['gelu', 'gelu_new', 'mish', 'softsign', 'selu', 'softplus', 'hardSigmoid']) {
  chain(`activation_${activation}`, [4], drawn([2, 4]).mul(3), of(L.activation, {activation}));
}
chain('reshaped', [6, 2], null, of(L.reshape, {targetShape: [3, 2, 2]}), of(L.permute, {dims: [2, 1, 3]}),
  of(L.flatten), of(L.dropout, {rate: 0.5}), of(L.dense, {units: 3}), of(L.repeatVector, {n: 2}));
chain('encoded', [4], tf.tensor([[0, 1, 1, 3], [3, 2, 0, 2]], [2, 4], 'int32'),
  of(L.categoryEncoding, {numTokens: 4, outputMode: 'count', dtype: 'int32'}));
chain('lstm', [3, 2], null, of(L.lstm, {units: 2, returnSequences: true}), of(L.gru, {units: 3, goBackwards: true}));
chain('stacked', [3, 2], null,
  of(o => L.rnn({cell: [L.lstmCell({units: 3}), L.gruCell({units: 2})], returnSequences: true, ...o})),
  of(o => L.rnn({cell: L.simpleRNNCell({units: 2}), ...o})));
for (const mergeMode of ['concat', 'sum', 'mul', 'ave']) {
  chain(`bidirectional_${mergeMode}`, [3, 2], null,
    of(o => L.bidirectional({layer: L.lstm({units: 2, returnSequences: true}), mergeMode, ...o})));
}
chain('time_distributed', [3, 2], null, of(o => L.timeDistributed({layer: L.dense({units: 2}), ...o})));
chain('conv_lstm', [2, 4, 4, 1], null, of(L.convLstm2d, {filters: 2, kernelSize: 3, padding: 'same'}));
chain('embedding', [4], tf.tensor([[1, 2, 0, 0], [3, 0, 4, 0]]),
  of(L.embedding, {inputDim: 5, outputDim: 3, maskZero: true}), of(L.lstm, {units: 2}));
chain('masking', [3, 2], tf.tensor([[[1, 2], [0, 0], [3, 4]], [[1, 1], [2, 2], [0, 0]]]),
  of(L.masking), of(L.simpleRNN, {units: 2, returnSequences: true}));

const inner = tf.sequential({name: 'inner', layers: [L.dense({units: 3, inputShape: [4]}), L.batchNormalization()]});
const a = tf.input({shape: [4], name: 'a'}), b = tf.input({shape: [4], name: 'b'});
const shared = L.dense({units: 3, name: 'shared'});
const parts = [inner.apply(a), inner.apply(b), shared.apply(a), shared.apply(b)];
const merged = ['add', 'average', 'maximum', 'minimum', 'multiply'].map(kind => L[kind]().apply(parts));
const joined = L.concatenate().apply([...merged, L.dot({axes: -1, normalize: true}).apply(parts.slice(0, 2))]);
add('nested', tf.model({inputs: [a, b], outputs: [joined, parts[3]]}), drawn([2, 4]), drawn([2, 4]));

writeFileSync('tensorflow_js_models.json', '{\n' + Object.entries(models)
  .map(([name, model]) => `${JSON.stringify(name)}: ${JSON.stringify(model)}`).join(',\n') + '\n}\n');
