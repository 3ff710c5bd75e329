// A TensorFlow.js backend whose every kernel asks a Python process, over two pipes.
import * as fs from 'node:fs';
import * as tf from '@tensorflow/tfjs-core';
import * as names from '@tensorflow/tfjs-core/dist/kernel_names';
import {MathBackendCPU} from '@tensorflow/tfjs-backend-cpu/dist/backend_cpu';

const NEED_A_BROWSER = new Set([names.FromPixels, names.Draw]);
const GIVE_LISTS = new Set([names.RaggedGather, names.SplitV, names.Unpack]);
const ARRAYS = {float32: Float32Array, int32: Int32Array, bool: Uint8Array, complex64: Float32Array};

// Keeps data and counts references; of the kernels of that package none is imported here.
export class PythonBackend extends MathBackendCPU {
  constructor(requests, answers) {
    super();
    this.firstUse = false;  // no advertisement on the first write
    this.requests = requests;
    this.answers = answers;
  }

  // For complex64 a pair of float32 tensors, as every backend of TensorFlow.js keeps it.
  makeOutput(shape, dtype, values) {
    if (dtype !== 'complex64') return this.makeTensorInfo(shape, dtype, values);
    const {real, imag} = tf.backend_util.splitRealAndImagArrays(values);
    const info = this.makeTensorInfo(shape, dtype);
    this.data.get(info.dataId).complexTensorInfos = {
      real: this.makeTensorInfo(shape, 'float32', real),
      imag: this.makeTensorInfo(shape, 'float32', imag),
    };
    return info;
  }

  // Ask Python; an output that shares an input's data there shares it here.
  runKernel(kernel, inputs, attributes) {
    const given = Array.isArray(inputs) ? {inputs} : inputs;
    const sent = [];
    const described = {};
    for (const [name, value] of Object.entries(given)) {
      if (value == null) continue;
      const describe = (tensor) => this.describe(tensor, sent);
      described[name] = Array.isArray(value) ? value.map(describe) : describe(value);
    }
    this.send({kernel, inputs: described, attributes: attributes ?? {}}, sent.map((s) => s.bytes));
    const {error, outputs} = this.receive();
    if (error) throw new Error(error);
    const results = outputs.map(({shape, dtype, values, same}) => {
      if (same === undefined) return this.makeOutput(shape, dtype, values);
      this.incRef(sent[same].dataId);
      return {dataId: sent[same].dataId, shape, dtype};
    });
    return results.length > 1 || GIVE_LISTS.has(kernel) ? results : results[0];
  }

  describe({dataId, shape, dtype}, sent) {
    const values = this.readSync(dataId);
    if (dtype === 'string') {
      sent.push({dataId, bytes: Buffer.concat(values)});
      return {shape, dtype, lengths: values.map((v) => v.length)};
    }
    const array = values instanceof ARRAYS[dtype] ? values : ARRAYS[dtype].from(values);
    sent.push({dataId, bytes: Buffer.from(array.buffer, array.byteOffset, array.byteLength)});
    return {shape, dtype};
  }

  send(header, buffers) {
    const text = Buffer.from(JSON.stringify(header, encode));
    const sizes = Buffer.from(Uint32Array.of(text.length).buffer);
    for (const buffer of [sizes, text, ...buffers]) {
      for (let at = 0; at < buffer.length;) at += fs.writeSync(this.requests, buffer, at);
    }
  }

  receive() {
    const size = new Uint32Array(this.readExactly(4))[0];
    const answer = JSON.parse(Buffer.from(this.readExactly(size)).toString());
    for (const output of answer.outputs ?? []) {
      if (output.same !== undefined) continue;
      const buffer = this.readExactly(output.bytes);
      output.values = output.dtype === 'string' ?
          split(buffer, output.lengths) : new ARRAYS[output.dtype](buffer);
    }
    return answer;
  }

  readExactly(count) {
    const bytes = new Uint8Array(count);
    for (let at = 0; at < count;) {
      const got = fs.readSync(this.answers, bytes, at, count - at);
      if (got === 0) throw new Error('the Python process has gone');
      at += got;
    }
    return bytes.buffer;
  }
}

// JSON has no Infinity, NaN or -0, and would write a typed array as an object.
function encode(_, value) {
  if (ArrayBuffer.isView(value)) return Array.from(value);
  const plain = typeof value !== 'number' || (Number.isFinite(value) && !Object.is(value, -0));
  return plain ? value : {number: Object.is(value, -0) ? '-0' : String(value)};
}

function split(buffer, lengths) {
  let at = 0;
  return lengths.map((length) => new Uint8Array(buffer, (at += length) - length, length));
}

// Register the backend and every kernel name; `called` hears of each call.
// It takes the name cpu, so that the specs that want that backend run as well.
export function registerPython(requests, answers, called) {
  tf.registerBackend('cpu', () => new PythonBackend(requests, answers));
  for (const kernelName of Object.values(names)) {
    if (NEED_A_BROWSER.has(kernelName)) continue;
    const kernelFunc = ({inputs, attrs, backend}) => {
      called(kernelName);
      return backend.runKernel(kernelName, inputs, attrs);
    };
    tf.registerKernel({kernelName, backendName: 'cpu', kernelFunc});
  }
}
