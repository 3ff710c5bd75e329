"""Every op. Written by ``python -m tests.rules.public_stubs``."""

from core.ops.activation import elu_grad as elu_grad, log_softmax as log_softmax
from core.ops.activation import log_softmax_grad as log_softmax_grad, relu_grad as relu_grad
from core.ops.activation import softmax as softmax
from core.ops.binary import add as add, add_n as add_n, atan2 as atan2, bitwise_and as bitwise_and
from core.ops.binary import div as div, floor_div as floor_div, maximum as maximum
from core.ops.binary import minimum as minimum, mod as mod, mul as mul, pow as pow, prelu as prelu
from core.ops.binary import squared_difference as squared_difference, sub as sub
from core.ops.compare import equal as equal, greater as greater, greater_equal as greater_equal
from core.ops.compare import less as less, less_equal as less_equal, logical_and as logical_and
from core.ops.compare import logical_or as logical_or, logical_xor as logical_xor
from core.ops.compare import not_equal as not_equal, select as select
from core.ops.complex_numbers import complex as complex, complex_abs as complex_abs, imag as imag
from core.ops.complex_numbers import real as real
from core.ops.composite import boolean_mask as boolean_mask, div_no_nan as div_no_nan
from core.ops.composite import euclidean_norm as euclidean_norm, log_sigmoid as log_sigmoid
from core.ops.composite import log_sum_exp as log_sum_exp, moments as moments, norm as norm
from core.ops.composite import where as where
from core.ops.contraction import contract as contract, einsum as einsum
from core.ops.conv import conv1d as conv1d, conv2d as conv2d
from core.ops.conv import conv2d_backprop_filter as conv2d_backprop_filter
from core.ops.conv import conv2d_backprop_input as conv2d_backprop_input
from core.ops.conv import conv2d_transpose as conv2d_transpose
from core.ops.create import diag as diag, eye as eye, fill as fill, linspace as linspace
from core.ops.create import meshgrid as meshgrid, one_hot as one_hot, ones as ones
from core.ops.create import number_range
range = number_range
from core.ops.create import scalar as scalar, tensor1d as tensor1d, tensor2d as tensor2d
from core.ops.create import tensor3d as tensor3d, tensor4d as tensor4d, tensor5d as tensor5d
from core.ops.create import tensor6d as tensor6d, zeros as zeros
from core.ops.decomposition import band_part as band_part, gram_schmidt as gram_schmidt, qr as qr
from core.ops.depthwise import depthwise_conv2d as depthwise_conv2d
from core.ops.depthwise import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from core.ops.depthwise import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from core.ops.depthwise import separable_conv2d as separable_conv2d
from core.ops.dilation import dilation2d as dilation2d
from core.ops.dilation import dilation2d_backprop_filter as dilation2d_backprop_filter
from core.ops.dilation import dilation2d_backprop_input as dilation2d_backprop_input
from core.ops.fused import fused_conv2d as fused_conv2d
from core.ops.fused import fused_depthwise_conv2d as fused_depthwise_conv2d
from core.ops.fused import fused_matmul as fused_matmul
from core.ops.image import flip_left_right as flip_left_right
from core.ops.image import grayscale_to_rgb as grayscale_to_rgb
from core.ops.image import rgb_to_grayscale as rgb_to_grayscale, threshold as threshold
from core.ops.indexing import gather as gather, gather_nd as gather_nd, scatter_nd as scatter_nd
from core.ops.indexing import tensor_scatter_update as tensor_scatter_update
from core.ops.linear import dot as dot, matmul as matmul, outer_product as outer_product
from core.ops.normalization import batch_norm as batch_norm, batch_norm2d as batch_norm2d
from core.ops.normalization import batch_norm3d as batch_norm3d, batch_norm4d as batch_norm4d
from core.ops.normalization import instance_norm as instance_norm
from core.ops.normalization import local_response_normalization as local_response_normalization
from core.ops.normalization import local_response_normalization_grad as local_response_normalization_grad
from core.ops.pooling import avg_pool as avg_pool, avg_pool_grad as avg_pool_grad
from core.ops.pooling import max_pool as max_pool, max_pool_grad as max_pool_grad
from core.ops.pooling import max_pool_with_argmax as max_pool_with_argmax, pool as pool
from core.ops.python_function import check_numerics as check_numerics
from core.ops.python_function import numpy_function as numpy_function
from core.ops.quantisation import quantise_round as quantise_round
from core.ops.ragged import ragged_gather as ragged_gather
from core.ops.ragged import ragged_gather_parts as ragged_gather_parts
from core.ops.ragged import ragged_range as ragged_range
from core.ops.ragged import ragged_tensor_to_tensor as ragged_tensor_to_tensor
from core.ops.random_numbers import dropout as dropout, multinomial as multinomial, rand as rand
from core.ops.random_numbers import random_gamma as random_gamma, random_normal as random_normal
from core.ops.random_numbers import random_standard_normal as random_standard_normal
from core.ops.random_numbers import random_uniform as random_uniform
from core.ops.random_numbers import random_uniform_int as random_uniform_int
from core.ops.random_numbers import set_random_seed as set_random_seed
from core.ops.random_numbers import truncated_normal as truncated_normal
from core.ops.recurrent import basic_lstm_cell as basic_lstm_cell
from core.ops.recurrent import moving_average as moving_average, multi_rnn_cell as multi_rnn_cell
from core.ops.reduce import all as all, any as any, argmax as argmax, argmin as argmin, max as max
from core.ops.reduce import mean as mean, min as min, prod as prod, sum as sum
from core.ops.reduce import sum_grad as sum_grad
from core.ops.resize import resize_bilinear as resize_bilinear
from core.ops.resize import resize_bilinear_grad as resize_bilinear_grad
from core.ops.resize import resize_nearest_neighbor as resize_nearest_neighbor
from core.ops.resize import resize_nearest_neighbor_grad as resize_nearest_neighbor_grad
from core.ops.sampling import affine_grid as affine_grid, grid_sample as grid_sample
from core.ops.sampling import grid_sample_backprop_input as grid_sample_backprop_input
from core.ops.sampling import grid_sample_slope as grid_sample_slope
from core.ops.scan import cumprod as cumprod, cumsum as cumsum
from core.ops.segment import bincount as bincount, confusion_matrix as confusion_matrix
from core.ops.segment import dense_bincount as dense_bincount, ragged_bincount as ragged_bincount
from core.ops.segment import unsorted_segment_sum as unsorted_segment_sum
from core.ops.shape import broadcast_args as broadcast_args, broadcast_to as broadcast_to
from core.ops.shape import cast as cast, clone as clone, ensure_shape as ensure_shape
from core.ops.shape import expand_dims as expand_dims, identity as identity, reshape as reshape
from core.ops.shape import reverse as reverse, squeeze as squeeze, tile as tile
from core.ops.shape import transpose as transpose
from core.ops.signal import cosine_window as cosine_window
from core.ops.signal import enclosing_power_of_two as enclosing_power_of_two, fft as fft
from core.ops.signal import frame as frame, hamming_window as hamming_window
from core.ops.signal import hann_window as hann_window, ifft as ifft, irfft as irfft, rfft as rfft
from core.ops.signal import stft as stft
from core.ops.slicing import block
slice = block
from core.ops.slicing import concat as concat, split as split, stack as stack
from core.ops.slicing import strided_slice as strided_slice, unstack as unstack
from core.ops.sort import in_top_k as in_top_k, lower_bound as lower_bound
from core.ops.sort import search_sorted as search_sorted, setdiff1d as setdiff1d, topk as topk
from core.ops.sort import unique as unique, upper_bound as upper_bound
from core.ops.space import batch_to_space_nd as batch_to_space_nd
from core.ops.space import depth_to_space as depth_to_space, mirror_pad as mirror_pad, pad as pad
from core.ops.space import space_to_batch_nd as space_to_batch_nd
from core.ops.sparse import sparse_fill_empty_rows as sparse_fill_empty_rows
from core.ops.sparse import sparse_reshape as sparse_reshape
from core.ops.sparse import sparse_segment_mean as sparse_segment_mean
from core.ops.sparse import sparse_segment_sum as sparse_segment_sum
from core.ops.sparse import sparse_to_dense as sparse_to_dense
from core.ops.strings import static_regex_replace as static_regex_replace
from core.ops.strings import string_join as string_join, string_length as string_length
from core.ops.strings import string_lower as string_lower, string_n_grams as string_n_grams
from core.ops.strings import string_split as string_split, string_split_v2 as string_split_v2
from core.ops.strings import string_strip as string_strip
from core.ops.strings import string_to_hash_bucket_fast as string_to_hash_bucket_fast
from core.ops.strings import string_upper as string_upper, unicode_decode as unicode_decode
from core.ops.strings import unicode_encode as unicode_encode
from core.ops.strings import vocabulary_index as vocabulary_index
from core.ops.suppression import non_max_suppression as non_max_suppression
from core.ops.suppression import non_max_suppression_async as non_max_suppression_async
from core.ops.suppression import non_max_suppression_padded as non_max_suppression_padded
from core.ops.suppression import non_max_suppression_padded_async as non_max_suppression_padded_async
from core.ops.suppression import non_max_suppression_with_score as non_max_suppression_with_score
from core.ops.suppression import non_max_suppression_with_score_async as non_max_suppression_with_score_async
from core.ops.unary import abs as abs, acos as acos, acosh as acosh, asin as asin, asinh as asinh
from core.ops.unary import atan as atan, atanh as atanh, ceil as ceil
from core.ops.unary import clip_by_value as clip_by_value, cos as cos, cosh as cosh, elu as elu
from core.ops.unary import erf as erf, exp as exp, expm1 as expm1, floor as floor
from core.ops.unary import is_finite as is_finite, is_inf as is_inf, is_nan as is_nan
from core.ops.unary import leaky_relu as leaky_relu, log as log, log1p as log1p
from core.ops.unary import logical_not as logical_not, neg as neg, ones_like as ones_like
from core.ops.unary import reciprocal as reciprocal, relu as relu, relu6 as relu6, round as round
from core.ops.unary import rsqrt as rsqrt, selu as selu, sigmoid as sigmoid, sign as sign
from core.ops.unary import sin as sin, sinh as sinh, softplus as softplus, sqrt as sqrt
from core.ops.unary import square as square, step as step, tan as tan, tanh as tanh
from core.ops.unary import zeros_like as zeros_like
from core.ops.volume import avg_pool3d as avg_pool3d, avg_pool3d_grad as avg_pool3d_grad
from core.ops.volume import conv3d as conv3d, conv3d_backprop_filter as conv3d_backprop_filter
from core.ops.volume import conv3d_backprop_input as conv3d_backprop_input
from core.ops.volume import conv3d_transpose as conv3d_transpose, max_pool3d as max_pool3d
from core.ops.volume import max_pool3d_grad as max_pool3d_grad
from core.ops.warp import crop_and_resize as crop_and_resize
from core.ops.warp import rotate_with_offset as rotate_with_offset, transform as transform
from typing import Any

def load_families() -> dict[str, Any]: ...
