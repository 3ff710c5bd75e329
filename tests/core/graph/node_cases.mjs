// Nodes of each type with their inputs and attributes. Most are one that means something else if an
// input, an attribute or an output is taken for another.
import {
  T, b, bool, complex, f, f32, floats, i, i32, int, ints, positive, s, scalar, strings, text, type,
} from './literals.mjs';

const node = (op, args, attr = {}, rest = {}) => ({op, args, attr, ...rest});

const arithmetic = [
  ...['Add', 'AddV2', 'BiasAdd', 'Sub', 'Mul', 'RealDiv', 'Div', 'FloorDiv', 'Mod', 'FloorMod',
    'Maximum', 'Minimum', 'SquaredDifference',
  ].map((op) => node(op, [floats(2, 3), f32([2, -0.5, 3])], T())),
  node('FloorDiv', [i32([7, -7, 5]), i32([2, 2, -3])], T('DT_INT32')),
  node('RealDiv', [i32([7, -7, 5]), i32([2, 2, -3])], T('DT_INT32')),
  node('FloorMod', [i32([7, -7, 5]), i32([2, 2, -3])], T('DT_INT32')),
  node('DivNoNan', [f32([1, 0, -3]), f32([0, 0, 2])], T()),
  node('Pow', [positive(2, 2), f32([2, 0.5])], T()),
  node('AddN', [floats(2, 2), floats(2, 2), f32([1, 2, 3, 4], [2, 2])], {N: i(3), ...T()}),
];

const anywhere = ['Abs', 'Atan', 'Ceil', 'Cos', 'Cosh', 'Elu', 'Erf', 'Exp', 'Expm1', 'Floor', 'Neg',
  'Reciprocal', 'Relu', 'Relu6', 'Round', 'Selu', 'Sigmoid', 'Sign', 'Sin', 'Sinh', 'Softplus',
  'Square', 'Tan', 'Tanh', 'Asinh'];
const unit = ['Acos', 'Asin', 'Atanh'];
const above = ['Log', 'Log1p', 'Rsqrt', 'Sqrt'];
const odd = f32([1, 'NaN', 'Infinity', '-Infinity', 0]);
const basicMath = [
  ...anywhere.map((op) => node(op, [f32([-2.5, -0.75, -0.5, 0.5, 1.5, 6.25])], T())),
  ...unit.map((op) => node(op, [f32([-0.75, 0, 0.5])], T())),
  ...above.map((op) => node(op, [f32([0.25, 1, 3])], T())),
  node('Acosh', [f32([1, 1.5, 3])], T()),
  ...['IsNan', 'IsInf', 'IsFinite'].map((op) => node(op, [odd], T())),
  node('Atan2', [f32([1, -1, 0]), f32([-2, 0.5, -3])], T()),
  node('ClipByValue', [floats(6), scalar(-1), scalar(1.5)], T()),
  node('LeakyRelu', [floats(6)], {...T(), alpha: f(0.3)}),
  node('LeakyRelu', [floats(6)], T()),
  node('Prelu', [floats(2, 3), f32([0.1, 0.2, 0.3])]),
  node('Complex', [f32([1, 2]), f32([3, -4])], T()),
  ...['Real', 'Imag', 'ComplexAbs'].map(
      (op) => node(op, [complex([3, 4, -6, 8], [2])], T('DT_COMPLEX64'))),
];

const image = floats(1, 5, 6, 2);
const filter = floats(3, 2, 2, 3);
const depthwise = floats(3, 2, 2, 2);
const windows = (size, stride, padding) => ({
  ksize: ints(1, size, 2, 1), strides: ints(1, stride, 1, 1), padding: s(padding),
  data_format: s('NHWC'), ...T(),
});
const conv = (strides, padding, rest = {}) => ({
  strides: ints(1, ...strides, 1), padding: s(padding), data_format: s('NHWC'),
  dilations: ints(1, 1, 1, 1), ...T(), ...rest,
});
const explicit = {explicit_paddings: ints(0, 0, 1, 2, 0, 3, 0, 0)};
const fusedWith = (...names) => ({fused_ops: strings(...names), num_args: i(names.length && 1)});
const prelu = {fused_ops: strings('BiasAdd', 'Prelu'), num_args: i(2)};
const leaky = {...fusedWith('BiasAdd', 'LeakyRelu'), leakyrelu_alpha: f(0.3)};
const bias = f32([0.5, -1, 2]);
const biasOfFour = f32([0.5, -1, 2, 0]);
const volume = floats(1, 3, 4, 5, 2);
const volumes = {ksize: ints(1, 2, 2, 3, 1), strides: ints(1, 1, 2, 1, 1), ...T()};
const channelsFirst = {data_format: s('NCHW')};
const convolution = [
  node('Conv2D', [image, filter], conv([1, 2], 'VALID')),
  node('Conv2D', [image, filter], conv([2, 1], 'SAME')),
  node('Conv2D', [image, filter], conv([2, 1], 'EXPLICIT', explicit)),
  node('Conv2D', [image, filter], conv([1, 1], 'SAME', {dilations: ints(1, 2, 1, 1)})),
  node('Conv2D', [floats(1, 2, 5, 6), filter], conv([1, 1], 'SAME', channelsFirst)),
  ...['DepthwiseConv2dNative', 'DepthwiseConv2d'].map(
      (op) => node(op, [image, depthwise], conv([2, 2], 'SAME'))),
  node('DepthwiseConv2dNative', [image, depthwise], conv([1, 2], 'EXPLICIT', explicit)),
  node('DepthwiseConv2dNative', [image, depthwise],
      conv([1, 1], 'VALID', {dilations: ints(1, 1, 2, 1)})),
  ...['Relu', 'Relu6', 'Elu', 'Sigmoid'].map((name) => node('_FusedConv2D', [image, filter, bias],
      conv([1, 2], 'SAME', fusedWith('BiasAdd', name)))),
  node('_FusedConv2D', [image, filter, bias], conv([1, 2], 'VALID', fusedWith('BiasAdd'))),
  node('_FusedConv2D', [image, filter, bias], conv([1, 2], 'VALID', leaky)),
  node('_FusedConv2D', [image, filter, bias, f32([0.1, 0.2, 0.3])], conv([1, 1], 'SAME', prelu)),
  node('_FusedConv2D', [image, filter, bias],
      conv([2, 1], 'EXPLICIT', {...explicit, ...fusedWith('BiasAdd', 'Relu')})),
  node('_FusedConv2D', [image, filter], conv([1, 2], 'VALID', fusedWith())),
  node('_FusedConv2D', [image, filter], conv([1, 2], 'VALID')),
  node('_FusedConv2D', [image, filter],
      conv([1, 2], 'VALID', {...fusedWith('NoOp', 'Relu6'), num_args: i(0)})),
  node('_FusedConv2D', [floats(1, 2, 5, 6), filter, bias],
      conv([1, 1], 'SAME', {...channelsFirst, ...fusedWith('BiasAdd')})),
  ...['Relu', 'Relu6', 'Elu', 'Sigmoid'].map((name) => node('FusedDepthwiseConv2dNative',
      [image, depthwise, biasOfFour], conv([1, 1], 'VALID', fusedWith('BiasAdd', name)))),
  node('FusedDepthwiseConv2dNative', [image, depthwise, biasOfFour, f32([0.1, 0.2, 0.3, 0.4])],
      conv([1, 1], 'VALID', prelu)),
  node('Conv2DBackpropInput', [i32([1, 6, 5, 2]), floats(3, 2, 2, 3), floats(1, 3, 5, 3)],
      conv([2, 1], 'SAME')),
  node('Conv2DBackpropInput', [i32([1, 7, 8, 2]), floats(3, 2, 2, 3), floats(1, 3, 4, 3)],
      conv([2, 2], 'VALID')),
  node('Conv1D', [floats(2, 7, 2), floats(3, 2, 2)],
      {stride: i(2), padding: s('SAME'), data_format: s('NWC'), dilation: i(1)}),
  node('Conv1D', [floats(2, 7, 2), floats(3, 2, 2)],
      {stride: i(1), padding: s('VALID'), dilation: i(2)}),
  node('Conv3D', [volume, floats(2, 2, 3, 2, 2)], {strides: ints(1, 1, 2, 1, 1), padding: s('SAME'),
    data_format: s('NDHWC'), dilations: ints(1, 1, 1, 1, 1), ...T()}),
  ...['AvgPool', 'MaxPool'].flatMap((op) => [
    node(op, [image], windows(3, 2, 'VALID')),
    node(op, [image], windows(2, 2, 'SAME')),
  ]),
  ...[false, true].map((batch) => node('MaxPoolWithArgmax', [floats(2, 4, 5, 2)],
      {...windows(3, 1, 'VALID'), include_batch_in_index: b(batch)}, {count: 2})),
  ...['AvgPool3D', 'MaxPool3D'].map((op) => node(op, [volume],
      {...volumes, padding: s('SAME'), data_format: s('NDHWC')})),
  node('Dilation2D', [image, floats(2, 3, 2)],
      {strides: ints(1, 2, 1, 1), rates: ints(1, 1, 2, 1), padding: s('SAME'), ...T()}),
];

const creation = [
  node('Fill', [i32([2, 3]), scalar(1.5)], T()),
  node('Fill', [i32([2]), int(7)], {...T('DT_INT32'), index_type: type('DT_INT32')}),
  node('Fill', [i32([2]), bool([true], [])], T('DT_BOOL')),
  node('Fill', [i32([2]), text(['a'], [])], T('DT_STRING')),
  node('Fill', [i32([2]), int(7)], T('DT_INT64')),
  node('LinSpace', [scalar(-1), scalar(2), int(5)], T()),
  node('OneHot', [i32([2, 0, 5]), int(4), scalar(3), scalar(-0.5)], {...T(), axis: i(-1)}),
  node('OneHot', [i32([1, 0], [1, 2]), int(2), int(5), int(1)], T('DT_INT32')),
  ...['Ones', 'Zeros'].map((op) => node(op, [i32([2, 2])], T('DT_INT32'))),
  ...['OnesLike', 'ZerosLike'].map((op) => node(op, [i32([5, 6, 7])], T('DT_INT32'))),
  node('Range', [int(2), int(11), int(3)], {Tidx: type('DT_INT32')}),
  node('Range', [scalar(5), scalar(1), scalar(-1.5)], {Tidx: type('DT_FLOAT')}),
  node('RandomStandardNormal', [i32([3, 40])], {dtype: type('DT_FLOAT'), ...T('DT_INT32')},
      {random: [-6, 6]}),
  node('RandomUniform', [i32([3, 40])], {dtype: type('DT_FLOAT'), seed: i(87654321)},
      {random: [0, 1]}),
  node('RandomUniform', [i32([3, 40])],
      {dtype: type('DT_FLOAT'), minval: f(2), maxval: f(5)}, {random: [2, 5]}),
  node('RandomUniformInt', [i32([3, 40])], {minval: i(3), maxval: i(9), seed: i(0)},
      {random: [3, 8]}),
  node('TruncatedNormal', [i32([3, 40])], {dtype: type('DT_FLOAT'), seed: i(7)}, {random: [-2, 2]}),
  node('TruncatedNormal', [i32([3, 40])],
      {dtype: type('DT_FLOAT'), means: f(10), stddev: f(0.5)}, {random: [9, 11]}),
  node('Multinomial', [f32([0, -40, 0, -40, -40, 0], [2, 3]), int(20)],
      {...T(), seed: i(3), output_dtype: type('DT_INT64')}, {random: [0, 2]}),
];

const boxes = f32([0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0,
  100, 1, 101], [6, 4]);
const scores = f32([0.9, 0.75, 0.6, 0.95, 0.5, 0.3]);
const dynamic = [
  node('NonMaxSuppressionV2', [boxes, scores, int(3), scalar(0.5)]),
  node('NonMaxSuppressionV3', [boxes, scores, int(5), scalar(0.5), scalar(0.4)]),
  ...[true, false].map((padded) => node('NonMaxSuppressionV4',
      [boxes, scores, int(5), scalar(0.5), scalar(0.4)], {pad_to_max_output_size: b(padded)},
      {count: 2})),
  node('NonMaxSuppressionV5', [boxes, scores, int(6), scalar(0.9), scalar(0), scalar(0.5)], {},
      {count: 2}),
  node('Where', [f32([0, 2, 0, 0, -1, 0.5], [2, 3])], T()),
  node('Where', [bool([false, true, true])], T('DT_BOOL')),
  node('ListDiff', [i32([1, 5, 2, 5, 3]), i32([5, 3])], T('DT_INT32'), {count: 2}),
];

const sorted = f32([0, 3, 9, 9, 10, 1, 2, 3, 4, 5], [2, 5]);
const evaluation = [
  node('LowerBound', [sorted, f32([9, 4, 11, 0, 3, 6], [2, 3])], {out_type: type('DT_INT32')}),
  node('UpperBound', [sorted, f32([9, 4, 11, 0, 3, 6], [2, 3])], {out_type: type('DT_INT32')}),
  node('TopKV2', [f32([1, 5, 3, 9, 8, 7], [2, 3]), int(2)], {sorted: b(true)}, {count: 2}),
  node('Unique', [i32([7, 9, 7, 8, 9])], {out_idx: type('DT_INT32')}, {count: 2}),
  node('UniqueV2', [i32([1, 0, 1, 1, 0, 1, 2, 0, 2], [3, 3]), i32([1])], {}, {count: 2}),
  node('UniqueV2', [i32([1, 0, 1, 1, 0, 1, 2, 0, 2], [3, 3]), i32([0])], {}, {count: 2}),
  node('UniqueV2', [i32([7, 9, 7]), i32([])], {}, {count: 2}),
];

const same = ['Identity', 'Snapshot', 'StopGradient', 'PlaceholderWithDefault'];
const graph = [
  ...same.map((op) => node(op, [floats(2, 2)], {...T(), dtype: type('DT_FLOAT')})),
  node('FakeQuantWithMinMaxVars', [floats(4), scalar(-1), scalar(1)], {num_bits: i(8)}),
  node('IdentityN', [floats(2), i32([1, 2])], {}, {count: 2}),
  node('Rank', [floats(2, 3, 1)], T()),
  node('Size', [floats(2, 3, 1)], T()),
  node('Shape', [floats(2, 3, 1)], {...T(), out_type: type('DT_INT64')}),
  node('Shape', [scalar(1)], T()),
  // TensorFlow.js gives float32.
  node('ShapeN', [floats(2, 3), floats(4)], {N: i(2), ...T()},
      {count: 2, expected: [i32([2, 3]), i32([4])]}),
  node('Print', [floats(2), i32([1, 2])], {message: s('x is '), summarize: i(3)}),
];

const resize = (corners, centers) => (
  {...T(), align_corners: b(corners), half_pixel_centers: b(centers)});
const images = [
  ...['ResizeBilinear', 'ResizeNearestNeighbor'].flatMap((op) => [
    node(op, [floats(1, 2, 3, 2), i32([4, 5])], resize(false, false)),
    node(op, [floats(1, 2, 3, 2), i32([4, 5])], resize(true, false)),
    node(op, [floats(1, 2, 3, 2), i32([4, 5])], resize(false, true)),
  ]),
  ...['bilinear', 'nearest'].map((method) => node('CropAndResize',
      [floats(2, 3, 4, 1), f32([0, 0, 1, 1.5, 0.25, 0.5, 1, 0], [2, 4]), i32([1, 0]), i32([2, 3])],
      {...T(), method: s(method), extrapolation_value: f(7)})),
  node('ImageProjectiveTransformV3',
      [floats(1, 3, 4, 1), f32([1, 0.25, -0.5, 0, 1, 0.5, 0, 0], [1, 8]), i32([3, 5]), scalar(2)],
      {interpolation: s('BILINEAR'), fill_mode: s('CONSTANT')}),
  node('ImageProjectiveTransformV3',
      [floats(1, 3, 4, 1), f32([1, 0, 1, 0, 1, 1, 0, 0], [1, 8]), i32([3, 5]), scalar(2)],
      {interpolation: s('NEAREST'), fill_mode: s('REFLECT')}),
];

const yes = bool([true, true, false, false]);
const no = bool([true, false, true, false]);
const logical = [
  ...['Equal', 'NotEqual', 'Greater', 'GreaterEqual', 'Less', 'LessEqual'].map(
      (op) => node(op, [f32([1, 2, 3, 1], [2, 2]), f32([2, 2])], T())),
  node('Equal', [text(['a', 'b']), text(['a', 'a'])], T('DT_STRING')),
  ...['LogicalAnd', 'LogicalOr'].map((op) => node(op, [yes, no])),
  node('LogicalNot', [yes]),
  ...['Select', 'SelectV2'].map((op) => node(op, [no, floats(4), f32([9, 8, 7, 6])], T())),
  node('SelectV2', [bool([true, false], [2, 1]), floats(2, 3), scalar(9)], T()),
  // TensorFlow.js's converter looks for inputs of other names.
  node('BitwiseAnd', [i32([6, 3, -1]), i32([3, 4, 5])], T('DT_INT32'), {expected: [i32([2, 0, 5])]}),
];

const columns = f32([0.5, -1]);
const matrices = [
  node('MatMul', [floats(2, 3), floats(3, 2)], {...T(), transpose_a: b(false)}),
  node('MatMul', [floats(3, 2), floats(2, 3)],
      {...T(), transpose_a: b(true), transpose_b: b(true)}),
  ...['BatchMatMul', 'BatchMatMulV2'].flatMap((op) => [
    node(op, [floats(2, 2, 3), floats(2, 2, 3)], {...T(), adj_x: b(false), adj_y: b(true)}),
    node(op, [floats(2, 3, 2), floats(2, 3, 2)], {...T(), adj_x: b(true), adj_y: b(false)}),
  ]),
  node('_FusedMatMul', [floats(2, 3), floats(3, 2), columns],
      {...T(), ...fusedWith('BiasAdd')}),
  node('_FusedMatMul', [floats(3, 2), floats(2, 3), columns],
      {...T(), ...fusedWith('BiasAdd', 'Relu'), transpose_a: b(true), transpose_b: b(true)}),
  node('_FusedMatMul', [floats(2, 3), floats(3, 2), columns], {...T(), ...leaky}),
  node('_FusedMatMul', [floats(2, 3), floats(3, 2), columns, f32([0.1, 0.2])], {...T(), ...prelu}),
  node('_FusedMatMul', [floats(2, 3), floats(3, 2)], {...T(), ...fusedWith()}),
  node('Transpose', [floats(2, 3, 4), i32([2, 0, 1])], {...T(), Tperm: type('DT_INT32')}),
  node('Einsum', [floats(2, 3), floats(3, 4)], {...T(), equation: s('ij,jk->ki'), N: i(2)}),
  // TensorFlow.js takes the first limit for both.
  node('MatrixBandPart', [f32([1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 3]), int(0), int(1)], T(),
      {expected: [f32([1, 2, 0, 0, 5, 6, 0, 0, 9], [3, 3])]}),
];

const statistics = [f32([2, 3]), f32([0.5, -1]), f32([1, -2]), f32([4, 0.25])];
const normalization = [
  ...['FusedBatchNorm', 'FusedBatchNormV2', 'FusedBatchNormV3'].map((op) => node(op,
      [floats(1, 2, 2, 2), ...statistics],
      {...T(), data_format: s('NHWC'), is_training: b(false), epsilon: f(0.01)})),
  node('FusedBatchNormV3', [floats(1, 2, 2, 2), ...statistics], {...T(), is_training: b(false)}),
  node('EuclideanNorm', [floats(2, 3), i32([1])], {keep_dims: b(true)}),
  node('EuclideanNorm', [floats(2, 3), i32([0])], {keep_dims: b(false)}),
  node('LRN', [floats(1, 1, 2, 6)],
      {depth_radius: i(1), bias: f(2), alpha: f(0.5), beta: f(0.75)}),
  node('LRN', [floats(1, 1, 2, 12)]),
  node('Softmax', [floats(2, 3)], T()),
  node('LogSoftmax', [floats(2, 3)], T()),
];

const ragged = [
  node('RaggedGather', [i32([0, 2, 2, 5]), floats(5), i32([2, 0])],
      {OUTPUT_RAGGED_RANK: i(1), PARAMS_RAGGED_RANK: i(1)}, {count: 2}),
  node('RaggedGather', [i32([0, 1, 3]), i32([0, 2, 2, 5]), floats(5), i32([1, 0])],
      {OUTPUT_RAGGED_RANK: i(2), PARAMS_RAGGED_RANK: i(2)}, {count: 3}),
  node('RaggedRange', [i32([0, 5, 8]), i32([3, 9, 8]), i32([1, 2, 1])], T('DT_INT32'), {count: 2}),
  node('RaggedTensorToTensor', [i32([-1, 3]), f32([1, 2, 3, 4]), scalar(9), i32([0, 1, 1, 4])],
      {...T(), row_partition_types: strings('ROW_SPLITS')}),
  node('RaggedTensorToTensor',
      [i32([3, -1]), f32([1, 2, 3, 4]), scalar(9), int(3), i32([0, 0, 2, 2])],
      {...T(), row_partition_types: strings('FIRST_DIM_SIZE', 'VALUE_ROWIDS')}),
];

const counted = i32([1, 1, 3, 7]);
const reduction = [
  ...['Max', 'Mean', 'Min', 'Sum', 'Prod'].flatMap((op) => [
    node(op, [floats(2, 3, 2), i32([0, 2])], {...T(), keep_dims: b(false)}),
    node(op, [floats(2, 3), int(-1)], {...T(), keep_dims: b(true)}),
  ]),
  node('Sum', [i32([1, 2, 3, 4], [2, 2]), i32([])], T('DT_INT32')),
  ...['All', 'Any'].map((op) => node(op, [bool([1, 0, 1, 1, 0, 0], [3, 2]), int(1)],
      {keep_dims: b(true)})),
  ...['ArgMax', 'ArgMin'].map((op) => node(op, [floats(2, 3), int(1)],
      {...T(), output_type: type('DT_INT64')})),
  ...['Cumsum', 'Cumprod'].flatMap((op) => [
    node(op, [floats(2, 3), int(1)], {...T(), exclusive: b(true), reverse: b(false)}),
    node(op, [floats(2, 3), int(0)], {...T(), exclusive: b(false), reverse: b(true)}),
  ]),
  node('Bincount', [counted, int(4), f32([0.5, 1, 2, 4])], T()),
  node('Bincount', [counted, int(4), f32([])], T()),
  node('DenseBincount', [i32([1, 1, 3, 0, 0, 9], [2, 3]), int(4), f32([])],
      {...T(), binary_output: b(true)}),
  node('DenseBincount', [counted, int(4), f32([0.5, 1, 2, 4])], {...T(), binary_output: b(false)}),
];

const masks = {begin_mask: i(1), end_mask: i(2), ellipsis_mask: i(0), new_axis_mask: i(0),
  shrink_axis_mask: i(4), Index: type('DT_INT32'), ...T()};
const sliceJoin = [
  node('ConcatV2', [floats(2, 1), floats(2, 2), floats(2, 3), int(1)], {N: i(3), ...T()}),
  node('Concat', [int(0), floats(1, 2), floats(2, 2)], {N: i(2), ...T()}),
  node('GatherV2', [floats(2, 3), i32([2, 0, 0]), int(1)], {batch_dims: i(0)}),
  node('GatherV2', [floats(2, 3), i32([2, 0, 1, 1], [2, 2]), int(1)], {batch_dims: i(1)}),
  node('GatherV2', [floats(2, 3), f32([1, 0]), int(0)]),
  node('Gather', [floats(3, 2), f32([2, 1])], {validate_indices: b(true)}),
  node('GatherNd', [floats(2, 3), i32([1, 2, 0, 1], [2, 2])]),
  node('Reverse', [floats(2, 3), bool([false, true])], T()),
  node('ReverseV2', [floats(2, 3), i32([0])], {...T(), Tidx: type('DT_INT32')}),
  node('Slice', [floats(3, 4), i32([1, 0]), i32([2, -1])], T()),
  node('StridedSlice', [floats(3, 4, 2), i32([1, 1, 1]), i32([3, 2, 2]), i32([1, 1, 1])], masks),
  // TensorFlow.js takes other columns where some steps are not 1 and an axis goes.
  node('StridedSlice', [floats(3, 4, 2), i32([1, 1, 1]), i32([3, 2, 2]), i32([2, 2, 1])], masks,
      {expected: [f32([3.5, -2, -2.5, 0], [2, 2])]}),
  node('StridedSlice', [floats(3, 4), i32([0, 0]), i32([0, 2]), i32([1, 1])],
      {ellipsis_mask: i(1), ...T()}),
  node('StridedSlice', [floats(3, 4), i32([0, -1]), i32([0, -4]), i32([1, -2])],
      {new_axis_mask: i(1), ...T()}),
  node('Pack', [floats(2), floats(2), floats(2)], {axis: i(1), N: i(3)}),
  node('Pack', [floats(2), floats(1, 2)], {axis: i(0), N: i(2)}),
  node('Unpack', [floats(2, 3)], {axis: i(1), num: i(3)}, {count: 3}),
  node('Tile', [floats(1, 2), i32([2, 3])], T()),
  node('Split', [int(1), floats(2, 4)], {num_split: i(2), ...T()}, {count: 2}),
  node('SplitV', [floats(2, 4), i32([1, -1]), int(1)], {num_split: i(2), ...T()}, {count: 2}),
  node('ScatterNd', [i32([1, 3, 1], [3, 1]), f32([5, 6, 7]), i32([4])]),
  node('SparseToDense', [i32([0, 1, 2, 0], [2, 2]), i32([3]), f32([5, 6]), scalar(-1)].map(
      (t, k) => k === 1 ? i32([3, 2]) : t), {validate_indices: b(true)}),
  node('SparseToDense', [i32([1, 3]), i32([4]), f32([5, 6]), int(-1)]),
  node('TensorScatterUpdate', [floats(4), i32([1, 3], [2, 1]), f32([9, 8])]),
];

const sparse = [
  node('SparseFillEmptyRows', [i32([0, 1, 2, 0], [2, 2]), f32([7, 8]), i32([4, 2]), scalar(-1)],
      T(), {count: 4}),
  node('SparseReshape', [i32([0, 1, 1, 2], [2, 2]), i32([2, 3]), i32([3, -1])], T(), {count: 2}),
  ...['SparseSegmentMean', 'SparseSegmentSum'].map((op) => node(op,
      [floats(3, 2), i32([0, 2, 1]), i32([0, 0, 1])], T())),
];

const waves = complex([1, 2, -1, 0.5, 3, -2, 0, 1], [4]);
const spectral = [
  node('FFT', [waves], {Tcomplex: type('DT_COMPLEX64')}),
  node('IFFT', [waves], {Tcomplex: type('DT_COMPLEX64')}),
  node('RFFT', [floats(2, 4), i32([4])]),
  node('IRFFT', [complex([1, 0, -1, 0.5, 3, 0], [1, 3]), i32([4])]),
];

const words = text(['hello world', ' a  b', '']);
const string = [
  node('StaticRegexReplace', [words], {pattern: s('o| '), rewrite: s('_'), replace_global: b(true)}),
  node('StaticRegexReplace', [words], {pattern: s('o| '), rewrite: s('_'), replace_global: b(false)}),
  // TensorFlow.js's converter turns the pattern to lower case.
  node('StaticRegexReplace', [text(['a B'])],
      {pattern: s('\\S'), rewrite: s('X'), replace_global: b(true)}, {expected: [text(['X X'])]}),
  node('StringNGrams', [text(['a', 'b', 'c', 'd']), i32([0, 3, 4])],
      {separator: s('|'), ngram_widths: ints(2, 3), left_pad: s('l'), right_pad: s('r'),
        pad_width: i(-1), preserve_short_sequences: b(false)}, {count: 2}),
  node('StringSplit', [words, text([' '], [])], {skip_empty: b(true)}, {count: 3}),
  node('StringSplit', [words, text([' '], [])], {skip_empty: b(false)}, {count: 3}),
  node('StringToHashBucketFast', [text(['Hello', 'TensorFlow', '2.x'])], {num_buckets: i(1000)}),
];

const transformation = [
  node('Cast', [f32([1.7, -1.7, 0])],
      {SrcT: type('DT_FLOAT'), DstT: type('DT_INT64'), Truncate: b(false)}),
  node('Cast', [f32([1.7, -1.7, 0])], {SrcT: type('DT_FLOAT'), DstT: type('DT_BOOL')}),
  node('Cast', [i32([3])], {SrcT: type('DT_INT32'), DstT: type('DT_HALF')}),
  node('ExpandDims', [floats(2, 3), int(1)], T()),
  node('ExpandDims', [floats(2, 3), int(-1)], T()),
  node('MirrorPad', [floats(2, 3), i32([1, 0, 0, 2], [2, 2])], {...T(), mode: s('REFLECT')}),
  node('MirrorPad', [floats(2, 3), i32([1, 0, 0, 2], [2, 2])], {...T(), mode: s('SYMMETRIC')}),
  node('Pad', [floats(2, 1), i32([1, 0, 0, 2], [2, 2])], T()),
  node('PadV2', [floats(2, 1), i32([1, 0, 0, 2], [2, 2]), scalar(9)], T()),
  node('Reshape', [floats(2, 3), i32([3, -1])], T()),
  node('Reshape', [floats(1, 1), i32([])], T()),
  node('EnsureShape', [floats(2, 3), i32([2, 3])], T()),
  node('EnsureShape', [floats(2, 3)],
      {...T(), shape: {shape: {dim: [{size: '-1'}, {size: '3'}]}}}, {expected: [floats(2, 3)]}),
  node('EnsureShape', [floats(2, 3)],
      {...T(), shape: {shape: {unknownRank: true}}}, {expected: [floats(2, 3)]}),
  node('Squeeze', [floats(1, 2, 1, 3)], {...T(), squeeze_dims: ints(2)}),
  node('Squeeze', [floats(1, 2, 1, 3)], {...T(), squeeze_dims: {list: {}}}),
  node('Squeeze', [floats(1, 2, 1, 3)], {...T(), axis: ints(0)}),
  node('SpaceToBatchND', [floats(1, 3, 4, 1), i32([2, 2]), i32([0, 1, 0, 0], [2, 2])], T()),
  node('BatchToSpaceND', [floats(4, 2, 2, 1), i32([2, 2]), i32([0, 1, 1, 0], [2, 2])], T()),
  node('DepthToSpace', [floats(1, 2, 1, 8)],
      {...T(), block_size: i(2), data_format: s('NHWC')}),
  // TensorFlow.js has this order of axes for WebGL alone.
  node('DepthToSpace', [f32([1, 2, 3, 4], [1, 4, 1, 1])],
      {...T(), block_size: i(2), data_format: s('NCHW')},
      {expected: [f32([1, 2, 3, 4], [1, 1, 2, 2])]}),
  node('BroadcastTo', [floats(2, 1), i32([3, 2, 2])], T()),
  node('BroadcastArgs', [i32([2, 1]), i32([3])], T('DT_INT32')),
];

// TensorFlow.js's converter does not have these types; the values are TensorFlow's.
const beyond = [
  node('Rint', [f32([0.5, 1.5, -0.75])], T(), {expected: [f32([0, 2, -1])]}),
  node('Erfc', [f32([0, 1, -1])], T(), {expected: [f32([1, 0.15729921, 1.8427008])]}),
  node('Softsign', [f32([0, 1, -3])], T(), {expected: [f32([0, 0.5, -0.75])]}),
  node('Inv', [f32([2, -4])], T(), {expected: [f32([0.5, -0.25])]}),
  node('BatchMatMulV3', [f32([1, 2], [1, 1, 2]), f32([3, 4], [1, 1, 2])],
      {adj_x: b(false), adj_y: b(true)}, {expected: [f32([11], [1, 1, 1])]}),
  node('TopK', [f32([1, 5, 3])], {k: i(2), sorted: b(true)},
      {count: 2, expected: [f32([5, 3]), i32([1, 2])]}),
  node('NonMaxSuppression', [boxes, scores, int(3)], {iou_threshold: f(0.95)},
      {expected: [i32([3, 0, 1])]}),
  ...['CheckNumerics', 'PreventGradient'].map((op) => node(op, [f32([1, 2])],
      {...T(), message: s('')}, {expected: [f32([1, 2])]})),
  node('MaxPool', [f32([1, 2, 3], [1, 1, 3, 1])],
      {...windows(1, 2, 'EXPLICIT'), explicit_paddings: ints(0, 0, 0, 0, 1, 0, 0, 0)},
      {expected: [f32([1, 2, 3], [1, 1, 3, 1])]}),
  node('Conv3DBackpropInputV2', [i32([1, 1, 1, 4, 1]), f32([1, 10], [1, 1, 2, 1, 1]),
    f32([2, 3], [1, 1, 1, 2, 1])],
  {strides: ints(1, 1, 1, 2, 1), padding: s('VALID'), data_format: s('NDHWC')},
  {expected: [f32([2, 20, 3, 30], [1, 1, 1, 4, 1])]}),
  node('RandomUniformInt', [i32([3, 40]), int(3), int(9)], {seed: i(0)},
      {expected: [{dtype: 'int32', shape: [3, 40], random: [3, 8]}]}),
  node('RFFT', [f32([1, 2, 3, 4, 5]), i32([4])], {},
      {expected: [complex([10, 0, -2, 2, -2, 0], [3])]}),
  node('StringNGrams', [text(['a', 'b']), i32([0, 2])],
      {separator: s('|'), ngram_widths: ints(2), left_pad: s('LP'), right_pad: s('RP'),
        pad_width: i(-1), preserve_short_sequences: b(false)},
      {count: 2, expected: [text(['LP|a', 'a|b', 'b|RP']), i32([0, 3])]}),
  // TensorFlow.js takes the strides of the wrong axes.
  node('Conv2D', [f32([1, 2, 3, 4], [1, 1, 2, 2]), f32([1], [1, 1, 1, 1])],
      {...T(), strides: ints(1, 1, 2, 1), padding: s('VALID'), ...channelsFirst},
      {expected: [f32([1, 2], [1, 1, 1, 2])]}),
];

export const NODES = [
  ...arithmetic, ...basicMath, ...convolution, ...creation, ...dynamic, ...evaluation, ...graph,
  ...images, ...logical, ...matrices, ...normalization, ...ragged, ...reduction, ...sliceJoin,
  ...sparse, ...spectral, ...string, ...transformation, ...beyond,
];
