// Graphs of several nodes: attributes that other nodes compute, outputs by name, order.
import {T, b, f32, floats, i, i32, int, ints, s, type} from './literals.mjs';

const node = (name, op, input, attr = {}) => ({name, op, input, attr});

const reshaped = {
  nodes: [
    node('shape', 'Shape', ['x'], {...T(), out_type: type('DT_INT32')}),
    node('rows', 'StridedSlice', ['shape', 'zero', 'one', 'one'], {shrink_axis_mask: i(1)}),
    node('to', 'Pack', ['rows', 'rest'], {N: i(2), axis: i(0)}),
    node('y', 'Reshape', ['x', 'to'], T()),
  ],
  inputs: {x: floats(2, 3, 2), zero: i32([0]), one: i32([1]), rest: int(-1)},
  outputs: ['to', 'y'],
};

const cut = {
  nodes: [
    node('most', 'ArgMax', ['x', 'axis'], T()),
    node('begin', 'ExpandDims', ['most', 'axis']),
    node('y', 'StridedSlice', ['x', 'begin', 'end', 'one'], {...T(), end_mask: i(1)}),
  ],
  inputs: {x: f32([1, 2, 9, 3, 4]), axis: int(0), end: i32([0]), one: i32([1])},
  outputs: ['y'],
};

const chosen = {
  nodes: [
    node('top', 'TopKV2', ['x', 'k'], {sorted: b(true)}),
    node('rows', 'GatherV2', ['table', 'top:1', 'axis'], {batch_dims: i(0)}),
    node('total', 'AddV2', ['top', 'top:0'], T()),
  ],
  inputs: {x: f32([1, 7, 3, 5]), k: int(2), table: floats(4, 2), axis: int(0)},
  outputs: ['rows', 'total', 'top:1'],
};

const parts = {
  nodes: [
    node('cut', 'Split', ['axis', 'x'], {num_split: i(2)}),
    node('y', 'Sub', ['cut:1', 'cut'], T()),
    node('padded', 'PadV2', ['y', 'paddings', 'value'], T()),
    node('value', 'Max', ['x', 'axis'], {keep_dims: b(false)}),
  ],
  inputs: {axis: int(0), x: f32([1, 2, 5, 7]), paddings: i32([1, 0], [1, 2])},
  outputs: ['padded'],
};

const upsampled = {
  nodes: [
    node('shape', 'Shape', ['x'], T()),
    node('size', 'Slice', ['shape', 'one', 'two'], T('DT_INT32')),
    node('twice', 'Mul', ['size', 'factor'], T('DT_INT32')),
    node('y', 'ResizeBilinear', ['x', 'twice'], {align_corners: b(false)}),
    node('back', 'Conv2DBackpropInput', ['shape', 'filter', 'x'],
        {strides: ints(1, 1, 1, 1), padding: s('SAME')}),
  ],
  inputs: {x: floats(1, 2, 2, 1), one: i32([1]), two: i32([2]), factor: i32([2, 3]),
    filter: f32([2], [1, 1, 1, 1])},
  outputs: ['y', 'back'],
};

// A node of no value, which another one just waits for.
const ordered = {
  nodes: [
    node('first', 'NoOp', ['^x']),
    node('both', 'NoOp', ['^first', '^y']),
    node('y', 'Identity', ['x', '^first']),
    node('z', 'IdentityN', ['x', 'y', '^both']),
  ],
  inputs: {x: floats(2)},
  outputs: ['z', 'z:1'],
};

export const GRAPHS = [reshaped, cut, chosen, parts, upsampled, ordered];
