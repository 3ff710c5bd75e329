"""What `core` has. Written by ``python -m tests.rules.public_stubs``."""

from core import callbacks as callbacks
from core import constraints as constraints
from core import converter as converter
from core import data as data
from core import image as image
from core import initializers as initializers
from core import layers as layers
from core import linalg as linalg
from core import losses as losses
from core import metrics as metrics
from core import optimizers as optimizers
from core import plots as plots
from core import random as random
from core import regularizers as regularizers
from core import signal as signal
from core import train as train
from core import utils as utils
from core.autodiff.gradients import custom_grad as custom_grad
from core.autodiff.gradients import grad as grad
from core.autodiff.gradients import grads as grads
from core.autodiff.gradients import stop_gradient as stop_gradient
from core.autodiff.gradients import value_and_grad as value_and_grad
from core.autodiff.gradients import value_and_grads as value_and_grads
from core.autodiff.gradients import variable_grads as variable_grads
from core.autodiff.scopes import dispose as dispose
from core.autodiff.scopes import keep as keep
from core.autodiff.scopes import tidy as tidy
from core.backends.cpu.threads import get_threads as get_threads
from core.backends.cpu.threads import set_threads as set_threads
from core.backends.cpu.tiers import get_tier as get_tier
from core.backends.cpu.tiers import set_tier as set_tier
from core.backends.shader.plans.plan_tuning import tune_shader as tune_shader
from core.backends.shader.runtime.starting import start_shader as start_shader
from core.backends.shader.runtime.starting import stop_shader as stop_shader
from core.compiled_functions.compiled_function import compile as compile
from core.converter.formats import load_model as load_model
from core.engine.async_run import run_async as run_async
from core.engine.backend import Backend as Backend
from core.engine.backends import register_backend as register_backend
from core.engine.dispatch import run_kernel as run_kernel
from core.engine.dispatch import tensor as tensor
from core.engine.limits import LimitError as LimitError
from core.engine.limits import Limits as Limits
from core.engine.limits import limits as limits
from core.engine.nan_check import NotFiniteError as NotFiniteError
from core.engine.nan_check import debug_mode as debug_mode
from core.engine.registry import kernel as kernel
from core.engine.registry import op as op
from core.engine.run_guard import RunCancelledError as RunCancelledError
from core.engine.run_guard import memory as memory
from core.engine.settings import backend as backend
from core.engine.settings import epsilon as epsilon
from core.engine.settings import flags as flags
from core.engine.settings import get_backend as get_backend
from core.engine.settings import set_backend as set_backend
from core.engine.specs import Spec as Spec
from core.engine.tensors import Tensor as Tensor
from core.engine.variables import Variable as Variable
from core.engine.variables import variable as variable
from core.errors import CoreError as CoreError
from core.errors import KernelNotFound as KernelNotFound
from core.graph.nodes import Endpoint as Endpoint
from core.graph.nodes import Graph as Graph
from core.graph.nodes import Node as Node
from core.graph.nodes import PartialSpec as PartialSpec
from core.graph_model.graph_model import GraphModel as GraphModel
from core.layers.input_layer import Input as Input
from core.models.copies import clone_model as clone_model
from core.models.model import Model as Model
from core.models.model_files import load_layers_model as load_layers_model
from core.models.model_files import model_from_json as model_from_json
from core.models.sequential import Sequential as Sequential
from core.models.sequential import sequential as sequential
from core.ops import abs as abs, acos as acos, acosh as acosh, add as add, add_n as add_n
from core.ops import affine_grid as affine_grid, all as all, any as any, argmax as argmax
from core.ops import argmin as argmin, asin as asin, asinh as asinh, atan as atan, atan2 as atan2
from core.ops import atanh as atanh, avg_pool as avg_pool, avg_pool3d as avg_pool3d
from core.ops import avg_pool3d_grad as avg_pool3d_grad, avg_pool_grad as avg_pool_grad
from core.ops import band_part as band_part, basic_lstm_cell as basic_lstm_cell
from core.ops import batch_norm as batch_norm, batch_norm2d as batch_norm2d
from core.ops import batch_norm3d as batch_norm3d, batch_norm4d as batch_norm4d
from core.ops import batch_to_space_nd as batch_to_space_nd, bincount as bincount
from core.ops import bitwise_and as bitwise_and, boolean_mask as boolean_mask
from core.ops import broadcast_args as broadcast_args, broadcast_to as broadcast_to, cast as cast
from core.ops import ceil as ceil, check_numerics as check_numerics
from core.ops import clip_by_value as clip_by_value, clone as clone, complex as complex
from core.ops import complex_abs as complex_abs, concat as concat
from core.ops import confusion_matrix as confusion_matrix, contract as contract, conv1d as conv1d
from core.ops import conv2d as conv2d, conv2d_backprop_filter as conv2d_backprop_filter
from core.ops import conv2d_backprop_input as conv2d_backprop_input
from core.ops import conv2d_transpose as conv2d_transpose, conv3d as conv3d
from core.ops import conv3d_backprop_filter as conv3d_backprop_filter
from core.ops import conv3d_backprop_input as conv3d_backprop_input
from core.ops import conv3d_transpose as conv3d_transpose, cos as cos, cosh as cosh
from core.ops import cosine_window as cosine_window, crop_and_resize as crop_and_resize
from core.ops import cumprod as cumprod, cumsum as cumsum, dense_bincount as dense_bincount
from core.ops import depth_to_space as depth_to_space, depthwise_conv2d as depthwise_conv2d
from core.ops import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from core.ops import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from core.ops import diag as diag, dilation2d as dilation2d
from core.ops import dilation2d_backprop_filter as dilation2d_backprop_filter
from core.ops import dilation2d_backprop_input as dilation2d_backprop_input, div as div
from core.ops import div_no_nan as div_no_nan, dot as dot, dropout as dropout, einsum as einsum
from core.ops import elu as elu, elu_grad as elu_grad
from core.ops import enclosing_power_of_two as enclosing_power_of_two
from core.ops import ensure_shape as ensure_shape, equal as equal, erf as erf
from core.ops import euclidean_norm as euclidean_norm, exp as exp, expand_dims as expand_dims
from core.ops import expm1 as expm1, eye as eye, fft as fft, fill as fill
from core.ops import flip_left_right as flip_left_right, floor as floor, floor_div as floor_div
from core.ops import frame as frame, fused_conv2d as fused_conv2d
from core.ops import fused_depthwise_conv2d as fused_depthwise_conv2d
from core.ops import fused_matmul as fused_matmul, gather as gather, gather_nd as gather_nd
from core.ops import gram_schmidt as gram_schmidt, grayscale_to_rgb as grayscale_to_rgb
from core.ops import greater as greater, greater_equal as greater_equal
from core.ops import grid_sample as grid_sample
from core.ops import grid_sample_backprop_input as grid_sample_backprop_input
from core.ops import grid_sample_slope as grid_sample_slope, hamming_window as hamming_window
from core.ops import hann_window as hann_window, identity as identity, ifft as ifft, imag as imag
from core.ops import in_top_k as in_top_k, instance_norm as instance_norm, irfft as irfft
from core.ops import is_finite as is_finite, is_inf as is_inf, is_nan as is_nan
from core.ops import leaky_relu as leaky_relu, less as less, less_equal as less_equal
from core.ops import linspace as linspace
from core.ops import local_response_normalization as local_response_normalization
from core.ops import local_response_normalization_grad as local_response_normalization_grad
from core.ops import log as log, log1p as log1p, log_sigmoid as log_sigmoid
from core.ops import log_softmax as log_softmax, log_softmax_grad as log_softmax_grad
from core.ops import log_sum_exp as log_sum_exp, logical_and as logical_and
from core.ops import logical_not as logical_not, logical_or as logical_or
from core.ops import logical_xor as logical_xor, lower_bound as lower_bound, matmul as matmul
from core.ops import max as max, max_pool as max_pool, max_pool3d as max_pool3d
from core.ops import max_pool3d_grad as max_pool3d_grad, max_pool_grad as max_pool_grad
from core.ops import max_pool_with_argmax as max_pool_with_argmax, maximum as maximum
from core.ops import mean as mean, meshgrid as meshgrid, min as min, minimum as minimum
from core.ops import mirror_pad as mirror_pad, mod as mod, moments as moments
from core.ops import moving_average as moving_average, mul as mul
from core.ops import multi_rnn_cell as multi_rnn_cell, multinomial as multinomial, neg as neg
from core.ops import non_max_suppression as non_max_suppression
from core.ops import non_max_suppression_async as non_max_suppression_async
from core.ops import non_max_suppression_padded as non_max_suppression_padded
from core.ops import non_max_suppression_padded_async as non_max_suppression_padded_async
from core.ops import non_max_suppression_with_score as non_max_suppression_with_score
from core.ops import non_max_suppression_with_score_async as non_max_suppression_with_score_async
from core.ops import norm as norm, not_equal as not_equal, numpy_function as numpy_function
from core.ops import one_hot as one_hot, ones as ones, ones_like as ones_like
from core.ops import outer_product as outer_product, pad as pad, pool as pool, pow as pow
from core.ops import prelu as prelu, prod as prod, qr as qr, quantise_round as quantise_round
from core.ops import ragged_bincount as ragged_bincount, ragged_gather as ragged_gather
from core.ops import ragged_gather_parts as ragged_gather_parts, ragged_range as ragged_range
from core.ops import ragged_tensor_to_tensor as ragged_tensor_to_tensor, rand as rand
from core.ops import random_gamma as random_gamma, random_normal as random_normal
from core.ops import random_standard_normal as random_standard_normal
from core.ops import random_uniform as random_uniform, random_uniform_int as random_uniform_int
from core.ops import range as range, real as real, reciprocal as reciprocal, relu as relu
from core.ops import relu6 as relu6, relu_grad as relu_grad, reshape as reshape
from core.ops import resize_bilinear as resize_bilinear
from core.ops import resize_bilinear_grad as resize_bilinear_grad
from core.ops import resize_nearest_neighbor as resize_nearest_neighbor
from core.ops import resize_nearest_neighbor_grad as resize_nearest_neighbor_grad
from core.ops import reverse as reverse, rfft as rfft, rgb_to_grayscale as rgb_to_grayscale
from core.ops import rotate_with_offset as rotate_with_offset, round as round, rsqrt as rsqrt
from core.ops import scalar as scalar, scatter_nd as scatter_nd, search_sorted as search_sorted
from core.ops import select as select, selu as selu, separable_conv2d as separable_conv2d
from core.ops import set_random_seed as set_random_seed, setdiff1d as setdiff1d
from core.ops import sigmoid as sigmoid, sign as sign, sin as sin, sinh as sinh, slice as slice
from core.ops import softmax as softmax, softplus as softplus
from core.ops import space_to_batch_nd as space_to_batch_nd
from core.ops import sparse_fill_empty_rows as sparse_fill_empty_rows
from core.ops import sparse_reshape as sparse_reshape, sparse_segment_mean as sparse_segment_mean
from core.ops import sparse_segment_sum as sparse_segment_sum, sparse_to_dense as sparse_to_dense
from core.ops import split as split, sqrt as sqrt, square as square
from core.ops import squared_difference as squared_difference, squeeze as squeeze, stack as stack
from core.ops import static_regex_replace as static_regex_replace, step as step, stft as stft
from core.ops import strided_slice as strided_slice, string_join as string_join
from core.ops import string_length as string_length, string_lower as string_lower
from core.ops import string_n_grams as string_n_grams, string_split as string_split
from core.ops import string_split_v2 as string_split_v2, string_strip as string_strip
from core.ops import string_to_hash_bucket_fast as string_to_hash_bucket_fast
from core.ops import string_upper as string_upper, sub as sub, sum as sum, sum_grad as sum_grad
from core.ops import tan as tan, tanh as tanh, tensor1d as tensor1d, tensor2d as tensor2d
from core.ops import tensor3d as tensor3d, tensor4d as tensor4d, tensor5d as tensor5d
from core.ops import tensor6d as tensor6d, tensor_scatter_update as tensor_scatter_update
from core.ops import threshold as threshold, tile as tile, topk as topk, transform as transform
from core.ops import transpose as transpose, truncated_normal as truncated_normal
from core.ops import unicode_decode as unicode_decode, unicode_encode as unicode_encode
from core.ops import unique as unique, unsorted_segment_sum as unsorted_segment_sum
from core.ops import unstack as unstack, upper_bound as upper_bound
from core.ops import vocabulary_index as vocabulary_index, where as where, zeros as zeros
from core.ops import zeros_like as zeros_like
from core.profiling.profiler import profile as profile
from core.profiling.profiler import time as time
