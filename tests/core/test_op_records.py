"""What is computed from the records of ops equals the lists that were kept by hand."""

from core.converter.tflite.families import arithmetic
from core.graph.node_types.rows import find_node_type
from core.layers.lowering import functions
from core.plan.passes import folding
from core.registry import METHODS, OPS

METHOD_NAMES = """
abs acos acosh add all any argmax argmin asin asinh atan atan2 atanh avg_pool batch_norm
batch_to_space_nd broadcast_to ceil clip_by_value conv1d conv2d conv2d_transpose cos cosh cumprod
cumsum depth_to_space depthwise_conv2d dilation2d div div_no_nan dot elu equal erf euclidean_norm
exp expand_dims expm1 fft floor floor_div gather greater greater_equal ifft irfft is_finite is_inf
is_nan leaky_relu less less_equal local_response_normalization log log1p log_sigmoid log_softmax
log_sum_exp logical_and logical_not logical_or logical_xor matmul max max_pool maximum mean min
minimum mirror_pad mod mul neg norm not_equal one_hot ones_like pad pool pow prelu prod reciprocal
relu relu6 resize_bilinear resize_nearest_neighbor reverse rfft round rsqrt selu separable_conv2d
sigmoid sign sin sinh slice softmax softplus space_to_batch_nd split sqrt square
squared_difference squeeze step strided_slice sub sum tan tanh tile topk unique
unsorted_segment_sum unstack zeros_like
""".split()  # noqa: SIM905

FOLDED = """
Abs Acos Acosh Add AddN AddV2 All Any ArgMax ArgMin Asin Asinh Atan Atan2 Atanh BiasAdd BitwiseAnd
BroadcastTo Cast Ceil ClipByValue ConcatV2 Cos Cosh Cumprod Cumsum Div DivNoNan Elu Equal Erf Exp
ExpandDims Expm1 Fill Floor FloorDiv FloorMod FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3
Greater GreaterEqual Identity IsFinite IsInf IsNan LeakyRelu Less LessEqual Log Log1p LogicalAnd
LogicalNot LogicalOr Max Maximum Mean Min Minimum Mod Mul Neg NotEqual OnesLike Pack Pow Prelu
Prod Range Rank RealDiv Reciprocal Relu Relu6 Reshape Reverse ReverseV2 Round Rsqrt Select
SelectV2 Selu Shape ShapeN Sigmoid Sign Sin Sinh Size Slice Softplus Split SplitV Sqrt Square
SquaredDifference Squeeze StridedSlice Sub Sum Tan Tanh Tile Transpose Unpack ZerosLike
""".split()  # noqa: SIM905

#: Node types and the ops that run them.
NODES = """
Abs:abs Acos:acos Acosh:acosh Add:add AddN:add_n AddV2:add Asin:asin Asinh:asinh Atan:atan
Atan2:atan2 Atanh:atanh AvgPool:avg_pool AvgPool3D:avg_pool3d BatchMatMul:matmul
BatchMatMulV2:matmul BatchMatMulV3:matmul BiasAdd:add BitwiseAnd:bitwise_and
BroadcastArgs:broadcast_args Cast:cast Ceil:ceil CheckNumerics:identity Complex:complex
ComplexAbs:complex_abs Conv1D:conv1d Conv2D:conv2d Conv3D:conv3d Cos:cos Cosh:cosh
DepthToSpace:depth_to_space DepthwiseConv2d:depthwise_conv2d
DepthwiseConv2dNative:depthwise_conv2d Dilation2D:dilation2d Div:div DivNoNan:div_no_nan Elu:elu
Equal:equal Erf:erf Exp:exp Expm1:expm1 FFT:fft FakeQuantWithMinMaxVars:identity Floor:floor
FloorDiv:floor_div FloorMod:mod FusedDepthwiseConv2dNative:fused_depthwise_conv2d
GatherNd:gather_nd Greater:greater GreaterEqual:greater_equal IFFT:ifft Imag:imag Inv:reciprocal
IsFinite:is_finite IsInf:is_inf IsNan:is_nan LRN:local_response_normalization LeakyRelu:leaky_relu
Less:less LessEqual:less_equal Log:log Log1p:log1p LogSoftmax:log_softmax LogicalAnd:logical_and
LogicalNot:logical_not LogicalOr:logical_or LowerBound:lower_bound MatMul:matmul
MatrixBandPart:band_part MaxPool:max_pool MaxPool3D:max_pool3d Maximum:maximum Minimum:minimum
Mod:mod Mul:mul Neg:neg NotEqual:not_equal OnesLike:ones_like PlaceholderWithDefault:identity
Pow:pow Prelu:prelu PreventGradient:identity Print:identity QuantiseRound:quantise_round
RaggedTensorToTensor:ragged_tensor_to_tensor Real:real RealDiv:div Reciprocal:reciprocal Relu:relu
Relu6:relu6 Rint:round Round:round Rsqrt:rsqrt Select:select SelectV2:select Selu:selu
Sigmoid:sigmoid Sign:sign Sin:sin Sinh:sinh Snapshot:identity Softmax:softmax Softplus:softplus
SparseSegmentMean:sparse_segment_mean SparseSegmentSum:sparse_segment_sum Sqrt:sqrt Square:square
SquaredDifference:squared_difference Squeeze:squeeze StaticRegexReplace:static_regex_replace
StopGradient:identity StringToHashBucketFast:string_to_hash_bucket_fast Sub:sub Tan:tan Tanh:tanh
TensorScatterUpdate:tensor_scatter_update UpperBound:upper_bound ZerosLike:zeros_like
_FusedConv2D:fused_conv2d _FusedMatMul:fused_matmul
""".split()  # noqa: SIM905

TFLITE = """
ABS:Abs CEIL:Ceil COS:Cos EXP:Exp FLOOR:Floor LOG:Log LOGICAL_NOT:LogicalNot NEG:Neg ROUND:Round
RSQRT:Rsqrt SIGN:Sign SIN:Sin SQRT:Sqrt SQUARE:Square ZEROS_LIKE:ZerosLike ADD:AddV2 ATAN2:Atan2
EQUAL:Equal FLOOR_DIV:FloorDiv FLOOR_MOD:FloorMod GREATER:Greater GREATER_EQUAL:GreaterEqual
LESS:Less LESS_EQUAL:LessEqual LOGICAL_AND:LogicalAnd LOGICAL_OR:LogicalOr MAXIMUM:Maximum
MINIMUM:Minimum MUL:Mul NOT_EQUAL:NotEqual POW:Pow SQUARED_DIFFERENCE:SquaredDifference SUB:Sub
""".split()  # noqa: SIM905

KERAS = """
abs:Abs absolute:Abs exp:Exp log:Log negative:Neg sqrt:Sqrt square:Square add:AddV2 subtract:Sub
sub:Sub multiply:Mul mul:Mul divide:RealDiv truedivide:RealDiv truediv:RealDiv maximum:Maximum
minimum:Minimum power:Pow pow:Pow
""".split()  # noqa: SIM905


def pairs(listed):
    return dict(word.split(":") for word in listed)


def test_methods():
    assert sorted(METHODS) == METHOD_NAMES


def test_folded_types():
    assert all(map(folding._folds, FOLDED))


def test_node_types():
    assert {name: find_node_type(name).run for name in pairs(NODES)} == pairs(NODES)


def test_tflite():
    spelled = {
        op.spellings.tflite: op.spellings.tensorflow[0]
        for op in OPS.values()
        if op.spellings.tflite
    }
    assert spelled == pairs(TFLITE)
    assert set(spelled) <= set(arithmetic.RULES)


def test_keras():
    spelled = {
        name: op.spellings.tensorflow[0] for op in OPS.values() for name in op.spellings.keras
    }
    assert {name: spelled[name] for name in pairs(KERAS)} == pairs(KERAS)
    assert {f"ops.{name}" for name in spelled} <= set(functions.LAYER_TYPES)
