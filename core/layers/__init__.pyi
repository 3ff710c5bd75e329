"""Layers. Written by ``python -m tests.rules.public_stubs``."""

from core.layers.built_in.activation import Activation as Activation
from core.layers.built_in.activation import ELU as ELU
from core.layers.built_in.activation import LeakyReLU as LeakyReLU
from core.layers.built_in.activation import PReLU as PReLU
from core.layers.built_in.activation import ReLU as ReLU
from core.layers.built_in.activation import Softmax as Softmax
from core.layers.built_in.activation import ThresholdedReLU as ThresholdedReLU
from core.layers.built_in.adaptive_pooling import AdaptiveAveragePooling1D as AdaptiveAveragePooling1D
from core.layers.built_in.adaptive_pooling import AdaptiveAveragePooling2D as AdaptiveAveragePooling2D
from core.layers.built_in.adaptive_pooling import AdaptiveAveragePooling3D as AdaptiveAveragePooling3D
from core.layers.built_in.adaptive_pooling import AdaptiveMaxPooling1D as AdaptiveMaxPooling1D
from core.layers.built_in.adaptive_pooling import AdaptiveMaxPooling2D as AdaptiveMaxPooling2D
from core.layers.built_in.adaptive_pooling import AdaptiveMaxPooling3D as AdaptiveMaxPooling3D
from core.layers.built_in.attention import GroupQueryAttention as GroupQueryAttention
from core.layers.built_in.attention import MultiHeadAttention as MultiHeadAttention
from core.layers.built_in.attention_without_heads import AdditiveAttention as AdditiveAttention
from core.layers.built_in.attention_without_heads import Attention as Attention
from core.layers.built_in.basic import Dense as Dense
from core.layers.built_in.basic import EinsumDense as EinsumDense
from core.layers.built_in.basic import Embedding as Embedding
from core.layers.built_in.basic import Masking as Masking
from core.layers.built_in.cells import GRUCell as GRUCell
from core.layers.built_in.cells import LSTMCell as LSTMCell
from core.layers.built_in.cells import SimpleRNNCell as SimpleRNNCell
from core.layers.built_in.cells import StackedRNNCells as StackedRNNCells
from core.layers.built_in.convolution import Conv1D as Conv1D
from core.layers.built_in.convolution import Conv1DTranspose as Conv1DTranspose
from core.layers.built_in.convolution import Conv2D as Conv2D
from core.layers.built_in.convolution import Conv2DTranspose as Conv2DTranspose
from core.layers.built_in.convolution import Conv3D as Conv3D
from core.layers.built_in.convolution import Conv3DTranspose as Conv3DTranspose
from core.layers.built_in.convolution import DepthwiseConv1D as DepthwiseConv1D
from core.layers.built_in.convolution import DepthwiseConv2D as DepthwiseConv2D
from core.layers.built_in.convolution import SeparableConv1D as SeparableConv1D
from core.layers.built_in.convolution import SeparableConv2D as SeparableConv2D
from core.layers.built_in.convolutional_lstm import ConvLSTM1D as ConvLSTM1D
from core.layers.built_in.convolutional_lstm import ConvLSTM1DCell as ConvLSTM1DCell
from core.layers.built_in.convolutional_lstm import ConvLSTM2D as ConvLSTM2D
from core.layers.built_in.convolutional_lstm import ConvLSTM2DCell as ConvLSTM2DCell
from core.layers.built_in.convolutional_lstm import ConvLSTM3D as ConvLSTM3D
from core.layers.built_in.convolutional_lstm import ConvLSTM3DCell as ConvLSTM3DCell
from core.layers.built_in.data_normalization import Normalization as Normalization
from core.layers.built_in.encoding import Discretization as Discretization
from core.layers.built_in.encoding import ReversibleEmbedding as ReversibleEmbedding
from core.layers.built_in.lookups import IntegerLookup as IntegerLookup
from core.layers.built_in.lookups import StringLookup as StringLookup
from core.layers.built_in.merging import Add as Add
from core.layers.built_in.merging import Average as Average
from core.layers.built_in.merging import Concatenate as Concatenate
from core.layers.built_in.merging import Dot as Dot
from core.layers.built_in.merging import Maximum as Maximum
from core.layers.built_in.merging import Minimum as Minimum
from core.layers.built_in.merging import Multiply as Multiply
from core.layers.built_in.merging import Subtract as Subtract
from core.layers.built_in.normalization import BatchNormalization as BatchNormalization
from core.layers.built_in.normalization import GroupNormalization as GroupNormalization
from core.layers.built_in.normalization import LayerNormalization as LayerNormalization
from core.layers.built_in.normalization import RMSNormalization as RMSNormalization
from core.layers.built_in.normalization import UnitNormalization as UnitNormalization
from core.layers.built_in.pooling import AveragePooling1D as AveragePooling1D
from core.layers.built_in.pooling import AveragePooling2D as AveragePooling2D
from core.layers.built_in.pooling import AveragePooling3D as AveragePooling3D
from core.layers.built_in.pooling import GlobalAveragePooling1D as GlobalAveragePooling1D
from core.layers.built_in.pooling import GlobalAveragePooling2D as GlobalAveragePooling2D
from core.layers.built_in.pooling import GlobalAveragePooling3D as GlobalAveragePooling3D
from core.layers.built_in.pooling import GlobalMaxPooling1D as GlobalMaxPooling1D
from core.layers.built_in.pooling import GlobalMaxPooling2D as GlobalMaxPooling2D
from core.layers.built_in.pooling import GlobalMaxPooling3D as GlobalMaxPooling3D
from core.layers.built_in.pooling import MaxPooling1D as MaxPooling1D
from core.layers.built_in.pooling import MaxPooling2D as MaxPooling2D
from core.layers.built_in.pooling import MaxPooling3D as MaxPooling3D
from core.layers.built_in.preprocessing import CategoryEncoding as CategoryEncoding
from core.layers.built_in.preprocessing import CenterCrop as CenterCrop
from core.layers.built_in.preprocessing import Rescaling as Rescaling
from core.layers.built_in.preprocessing import Resizing as Resizing
from core.layers.built_in.preprocessing import UpSampling2D as UpSampling2D
from core.layers.built_in.random_images import RandomBrightness as RandomBrightness
from core.layers.built_in.random_images import RandomColorJitter as RandomColorJitter
from core.layers.built_in.random_images import RandomContrast as RandomContrast
from core.layers.built_in.random_images import RandomErasing as RandomErasing
from core.layers.built_in.random_images import RandomFlip as RandomFlip
from core.layers.built_in.random_images import RandomHeight as RandomHeight
from core.layers.built_in.random_images import RandomHue as RandomHue
from core.layers.built_in.random_images import RandomRotation as RandomRotation
from core.layers.built_in.random_images import RandomSaturation as RandomSaturation
from core.layers.built_in.random_images import RandomTranslation as RandomTranslation
from core.layers.built_in.random_images import RandomWidth as RandomWidth
from core.layers.built_in.random_images import RandomZoom as RandomZoom
from core.layers.built_in.recurrent import GRU as GRU
from core.layers.built_in.recurrent import LSTM as LSTM
from core.layers.built_in.recurrent import RNN as RNN
from core.layers.built_in.recurrent import SimpleRNN as SimpleRNN
from core.layers.built_in.regularization import ActivityRegularization as ActivityRegularization
from core.layers.built_in.regularization import AlphaDropout as AlphaDropout
from core.layers.built_in.regularization import Dropout as Dropout
from core.layers.built_in.regularization import GaussianDropout as GaussianDropout
from core.layers.built_in.regularization import GaussianNoise as GaussianNoise
from core.layers.built_in.regularization import Identity as Identity
from core.layers.built_in.regularization import SpatialDropout1D as SpatialDropout1D
from core.layers.built_in.regularization import SpatialDropout2D as SpatialDropout2D
from core.layers.built_in.regularization import SpatialDropout3D as SpatialDropout3D
from core.layers.built_in.shaping import Cropping1D as Cropping1D
from core.layers.built_in.shaping import Cropping2D as Cropping2D
from core.layers.built_in.shaping import Cropping3D as Cropping3D
from core.layers.built_in.shaping import Flatten as Flatten
from core.layers.built_in.shaping import Permute as Permute
from core.layers.built_in.shaping import RepeatVector as RepeatVector
from core.layers.built_in.shaping import Reshape as Reshape
from core.layers.built_in.shaping import UpSampling1D as UpSampling1D
from core.layers.built_in.shaping import UpSampling3D as UpSampling3D
from core.layers.built_in.shaping import ZeroPadding1D as ZeroPadding1D
from core.layers.built_in.shaping import ZeroPadding2D as ZeroPadding2D
from core.layers.built_in.shaping import ZeroPadding3D as ZeroPadding3D
from core.layers.built_in.vectorization import TextVectorization as TextVectorization
from core.layers.built_in.wrappers import Bidirectional as Bidirectional
from core.layers.built_in.wrappers import TimeDistributed as TimeDistributed
from core.layers.inference import layer_classes as layer_classes
from core.layers.inference import layers_graph as layers_graph
from core.layers.input_layer import Input as Input
from core.layers.input_layer import InputLayer as InputLayer
from core.layers.layer import Layer as Layer
from core.layers.symbolic import SymbolicTensor as SymbolicTensor

AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D
AvgPooling1D = AveragePooling1D
AvgPooling2D = AveragePooling2D
AvgPooling3D = AveragePooling3D
BatchNormalizationV1 = BatchNormalization
BatchNormalizationV2 = BatchNormalization
Convolution1D = Conv1D
Convolution1DTranspose = Conv1DTranspose
Convolution2D = Conv2D
Convolution2DTranspose = Conv2DTranspose
Convolution3D = Conv3D
Convolution3DTranspose = Conv3DTranspose
GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D
GroupedQueryAttention = GroupQueryAttention
MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D
SyncBatchNormalization = BatchNormalization
activation = Activation
activity_regularization = ActivityRegularization
adaptive_average_pooling1d = AdaptiveAveragePooling1D
adaptive_average_pooling2d = AdaptiveAveragePooling2D
adaptive_average_pooling3d = AdaptiveAveragePooling3D
adaptive_max_pooling1d = AdaptiveMaxPooling1D
adaptive_max_pooling2d = AdaptiveMaxPooling2D
adaptive_max_pooling3d = AdaptiveMaxPooling3D
add = Add
additive_attention = AdditiveAttention
alpha_dropout = AlphaDropout
attention = Attention
average = Average
average_pooling1d = AveragePooling1D
average_pooling2d = AveragePooling2D
average_pooling3d = AveragePooling3D
avg_pool1d = AveragePooling1D
avg_pool2d = AveragePooling2D
avg_pool3d = AveragePooling3D
avg_pooling1d = AveragePooling1D
avg_pooling2d = AveragePooling2D
avg_pooling3d = AveragePooling3D
batch_normalization = BatchNormalization
batch_normalization_v1 = BatchNormalization
batch_normalization_v2 = BatchNormalization
bidirectional = Bidirectional
category_encoding = CategoryEncoding
center_crop = CenterCrop
concatenate = Concatenate
conv1d = Conv1D
conv1d_transpose = Conv1DTranspose
conv2d = Conv2D
conv2d_transpose = Conv2DTranspose
conv3d = Conv3D
conv3d_transpose = Conv3DTranspose
conv_lstm1d = ConvLSTM1D
conv_lstm1d_cell = ConvLSTM1DCell
conv_lstm2d = ConvLSTM2D
conv_lstm2d_cell = ConvLSTM2DCell
conv_lstm3d = ConvLSTM3D
conv_lstm3d_cell = ConvLSTM3DCell
convolution1d = Conv1D
convolution1d_transpose = Conv1DTranspose
convolution2d = Conv2D
convolution2d_transpose = Conv2DTranspose
convolution3d = Conv3D
convolution3d_transpose = Conv3DTranspose
cropping1d = Cropping1D
cropping2d = Cropping2D
cropping3d = Cropping3D
dense = Dense
depthwise_conv1d = DepthwiseConv1D
depthwise_conv2d = DepthwiseConv2D
discretization = Discretization
dot = Dot
dropout = Dropout
einsum_dense = EinsumDense
elu = ELU
embedding = Embedding
flatten = Flatten
gaussian_dropout = GaussianDropout
gaussian_noise = GaussianNoise
global_average_pooling1d = GlobalAveragePooling1D
global_average_pooling2d = GlobalAveragePooling2D
global_average_pooling3d = GlobalAveragePooling3D
global_avg_pool1d = GlobalAveragePooling1D
global_avg_pool2d = GlobalAveragePooling2D
global_avg_pool3d = GlobalAveragePooling3D
global_max_pool1d = GlobalMaxPooling1D
global_max_pool2d = GlobalMaxPooling2D
global_max_pool3d = GlobalMaxPooling3D
global_max_pooling1d = GlobalMaxPooling1D
global_max_pooling2d = GlobalMaxPooling2D
global_max_pooling3d = GlobalMaxPooling3D
group_normalization = GroupNormalization
group_query_attention = GroupQueryAttention
grouped_query_attention = GroupQueryAttention
gru = GRU
gru_cell = GRUCell
identity = Identity
input = Input
input_layer = InputLayer
integer_lookup = IntegerLookup
layer_normalization = LayerNormalization
leaky_relu = LeakyReLU
lstm = LSTM
lstm_cell = LSTMCell
masking = Masking
max_pool1d = MaxPooling1D
max_pool2d = MaxPooling2D
max_pool3d = MaxPooling3D
max_pooling1d = MaxPooling1D
max_pooling2d = MaxPooling2D
max_pooling3d = MaxPooling3D
maximum = Maximum
minimum = Minimum
multi_head_attention = MultiHeadAttention
multiply = Multiply
normalization = Normalization
permute = Permute
prelu = PReLU
random_brightness = RandomBrightness
random_color_jitter = RandomColorJitter
random_contrast = RandomContrast
random_erasing = RandomErasing
random_flip = RandomFlip
random_height = RandomHeight
random_hue = RandomHue
random_rotation = RandomRotation
random_saturation = RandomSaturation
random_translation = RandomTranslation
random_width = RandomWidth
random_zoom = RandomZoom
relu = ReLU
repeat_vector = RepeatVector
rescaling = Rescaling
reshape = Reshape
resizing = Resizing
reversible_embedding = ReversibleEmbedding
rms_normalization = RMSNormalization
rnn = RNN
separable_conv1d = SeparableConv1D
separable_conv2d = SeparableConv2D
separable_convolution1d = SeparableConv1D
separable_convolution2d = SeparableConv2D
simple_rnn = SimpleRNN
simple_rnn_cell = SimpleRNNCell
softmax = Softmax
spatial_dropout1d = SpatialDropout1D
spatial_dropout2d = SpatialDropout2D
spatial_dropout3d = SpatialDropout3D
stacked_rnn_cells = StackedRNNCells
string_lookup = StringLookup
subtract = Subtract
sync_batch_normalization = BatchNormalization
text_vectorization = TextVectorization
thresholded_relu = ThresholdedReLU
time_distributed = TimeDistributed
unit_normalization = UnitNormalization
up_sampling1d = UpSampling1D
up_sampling2d = UpSampling2D
up_sampling3d = UpSampling3D
zero_padding1d = ZeroPadding1D
zero_padding2d = ZeroPadding2D
zero_padding3d = ZeroPadding3D

def class_names() -> dict[str, str]: ...
