// Short ways to write tensors and attributes as the documents have them.

const count = (shape) => shape.reduce((a, b) => a * b, 1);

const literal = (dtype) => (values, shape = [values.length]) => ({dtype, shape, values});

export const f32 = literal('float32');
export const i32 = literal('int32');
export const bool = literal('bool');
export const text = literal('string');
export const complex = (values, shape) => ({dtype: 'complex64', shape, values});
export const scalar = (value) => f32([value], []);
export const int = (value) => i32([value], []);

// Numbers that are no pattern, the same in every run.
export function floats(...shape) {
  return f32(Array.from({length: count(shape)}, (_, i) => ((i * 37 + 11) % 64 - 30) / 8), shape);
}

export const positive = (...shape) => f32(floats(...shape).values.map((v) => v + 4), shape);

// Attributes as TensorFlow's converter writes them: int64 as text, strings as base64.
const base64 = (s) => Buffer.from(s).toString('base64');
export const i = (value) => ({i: String(value)});
export const f = (value) => ({f: value});
export const b = (value) => ({b: value});
export const s = (value) => ({s: base64(value)});
export const type = (value) => ({type: value});
export const ints = (...values) => ({list: {i: values.map(String)}});
export const strings = (...values) => ({list: {s: values.map(base64)}});
export const T = (value = 'DT_FLOAT') => ({T: type(value)});
