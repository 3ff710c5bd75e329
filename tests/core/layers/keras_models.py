"""Writes keras3_models.json and keras2_models.json: small models of Keras with what they give.

Run ``python keras_models.py`` where Keras 3 is; with ``TF_USE_LEGACY_KERAS=1`` and tf_keras for
Keras 2. Keys of a model: topology; weights by name; "lists", names in the order of .h5 files;
"paths", keys in .keras files by name; inputs; outputs.
"""

import importlib
import io
import json
import os
import sys
import zipfile
from pathlib import Path

import numpy as np

LEGACY = bool(os.environ.get("TF_USE_LEGACY_KERAS"))
if __name__ == "__main__":  # the suite looks into this file, and needs no Keras
    keras = importlib.import_module("tf_keras" if LEGACY else "keras")
    L = keras.layers
RNG = np.random.default_rng(7)
MODELS = {}
DROPPED = ("initializer", "regularizer", "constraint", "registered_name", "compile_config", "seed")

#: Attributes of layers in which other layers are.
HOLDERS = ("cell", "layer", "_query_dense")


def stripped(document):
    """Without what inference does not need, to keep the file small."""
    if isinstance(document, dict):
        return {k: stripped(v) for k, v in document.items() if is_needed(k, v)}
    return [stripped(d) for d in document] if isinstance(document, list) else document


def is_needed(key, value):
    """Whether a part of a config may matter."""
    if key == "trainable" and value is False:
        return True
    if key == "dtype" and isinstance(value, dict) or key == "module" and "ops" not in value:
        return False
    return not key.endswith(DROPPED) and key not in ("trainable", "build_config")


def number(array):
    """Nested lists of few digits."""
    array = np.asarray(array)
    if array.dtype.kind == "f":
        return [float(f"{v:.6g}") for v in array.ravel()]
    return [int(v) for v in array.ravel()]


def stored(array):
    """An array as shape, dtype and values."""
    array = np.asarray(array)
    return {"shape": list(array.shape), "dtype": str(array.dtype), "values": number(array)}


def names_of(model):
    """The name of each weight, by identity."""
    return {id(w): getattr(w, "path", w.name).removesuffix(":0") for w in model.weights}


def add(name, model, *inputs, keep_all=False):
    """One more model; its weights are drawn, its outputs computed."""
    for w in model.weights:
        value = RNG.uniform(-0.9, 0.9, w.shape)
        if "variance" in w.name:
            value = np.abs(value) + 0.2
        if "count" not in w.name:
            w.assign(np.round(value, 2).astype("float32"))
    for layer in model.layers:
        if hasattr(layer, "finalize_state"):
            layer.finalize_state()
    names = names_of(model)
    topology = json.loads(model.to_json())
    found = model.predict(list(inputs) if len(inputs) > 1 else inputs[0], verbose=0)
    outputs = found if isinstance(found, (list, tuple)) else [found]
    MODELS[name] = {
        "topology": topology if keep_all else stripped(topology),
        "weights": {
            names[id(w)]: stored(w.numpy() if LEGACY else np.array(w)) for w in model.weights
        },
        "lists": {
            layer.name: [
                names[id(w)] for w in layer.trainable_weights + layer.non_trainable_weights
            ]
            for layer in model.layers
            if layer.weights
        },
        "inputs": [stored(x) for x in inputs],
        "outputs": [stored(y) for y in outputs],
    }
    if not LEGACY and (keep_all or any(hasattr(x, name) for x in model.layers for name in HOLDERS)):
        MODELS[name]["paths"] = paths(model, names)


def paths(model, names):
    """Where a .keras file has each weight."""
    import h5py

    stream = Path(os.environ.get("TMPDIR", "/tmp")) / "model.keras"
    for i, w in enumerate(model.weights):  # values that tell which is which
        w.assign(np.full(w.shape, i, "float32"))
    model.save(stream)
    found = {}
    with zipfile.ZipFile(stream) as archive:
        content = io.BytesIO(archive.read("model.weights.h5"))
    every = list(model.weights)

    def visit(key, item):
        if hasattr(item, "shape") and "seed_generator" not in key and "optimizer" not in key:
            found[key] = names[id(every[int(np.ravel(item)[0])])]

    h5py.File(content).visititems(visit)
    stream.unlink()
    return found


def floats(*shape):
    """An input of floats."""
    return np.round(RNG.uniform(-1, 1, shape), 2).astype("float32")


def ints(high, *shape):
    """An input of whole numbers."""
    return RNG.integers(0, high, shape).astype("int32")


def chain(name, shape, *layers, dtype="float32", x=None, batch=2, **options):
    """A Sequential of layers on floats."""
    model = keras.Sequential([L.Input(shape, dtype=dtype), *layers])
    if x is None:
        x = floats(batch, *[n or 5 for n in shape])
    add(name, model, x, **options)


def convolutions():
    """Plain, strided, dilated, grouped, transposed, separable."""
    chain("conv1d", (7, 2), L.Conv1D(3, 3, padding="causal", dilation_rate=2, activation="relu"))
    chain("conv1d_any", (None, 2), L.Conv1D(3, 2, strides=2, activation="tanh"))
    chain(
        "conv2d",
        (6, 5, 2),
        L.Conv2D(3, (3, 2), strides=2, padding="same", activation="relu6"),
        L.Conv2D(2, 2, use_bias=False, activation="sigmoid"),
    )
    chain("conv2d_dilated", (7, 7, 1), L.Conv2D(2, 3, dilation_rate=2, activation="swish"))
    chain("conv2d_groups", (4, 4, 4), L.Conv2D(4, 2, groups=2, activation="elu"))
    chain("conv3d", (4, 3, 3, 2), L.Conv3D(2, 2, padding="same", activation="selu"))
    chain("conv1d_transpose", (4, 2), L.Conv1DTranspose(3, 3, strides=2, padding="same"))
    chain("conv2d_transpose", (3, 3, 2), L.Conv2DTranspose(3, 3, strides=2, activation="relu"))
    chain(
        "conv2d_transpose_same",
        (3, 4, 2),
        L.Conv2DTranspose(2, 3, strides=2, padding="same", output_padding=1),
        L.Conv2DTranspose(2, 2, strides=3),
    )
    chain(
        "conv2d_transpose_any",
        (None, None, 2),
        L.Conv2DTranspose(2, 3, strides=2),
        x=floats(1, 3, 4, 2),
    )
    chain("conv3d_transpose", (2, 3, 2, 2), L.Conv3DTranspose(2, 2, strides=2, padding="same"))
    chain("separable1d", (6, 2), L.SeparableConv1D(3, 2, depth_multiplier=2, activation="relu"))
    chain("separable2d", (5, 5, 2), L.SeparableConv2D(3, 3, strides=2, padding="same"))
    chain("depthwise1d", (6, 2), L.DepthwiseConv1D(3, strides=2, depth_multiplier=2))
    chain("depthwise2d", (5, 5, 2), L.DepthwiseConv2D(3, padding="same", activation="relu6"))
    chain("depthwise2d_plain", (5, 5, 2), L.DepthwiseConv2D(2, use_bias=False, depth_multiplier=2))


def poolings():
    """Windows, and everything."""
    for kind in ("Max", "Average"):
        for rank, shape in ((1, (7, 2)), (2, (5, 6, 2)), (3, (4, 4, 3, 2))):
            pool = getattr(L, f"{kind}Pooling{rank}D")
            every = getattr(L, f"Global{kind}Pooling{rank}D")
            chain(f"{kind.lower()}_pooling{rank}d", shape, pool(2, padding="same"))
            chain(f"global_{kind.lower()}_pooling{rank}d", shape, every(keepdims=rank == 2))
    chain("max_pooling_overlapping", (7, 7, 1), L.MaxPooling2D(3, strides=2))
    chain("any_size", (None, None, 1), L.Conv2D(2, 2), L.MaxPooling2D(), L.GlobalMaxPooling2D())


def normalizations():
    """By stored and by computed statistics."""
    chain("batch_norm", (3, 4, 2), L.BatchNormalization(), L.ReLU(), L.BatchNormalization(axis=1))
    chain("batch_norm_dense", (4,), L.Dense(3), L.BatchNormalization(scale=False, epsilon=0.1))
    chain("batch_norm_1d", (4, 3), L.BatchNormalization(center=False))
    chain("layer_norm", (4, 3), L.LayerNormalization(), L.LayerNormalization(axis=[1, 2]))
    chain("layer_norm_axis1", (4, 3), L.LayerNormalization(axis=1, scale=False))
    chain("group_norm", (3, 3, 6), L.GroupNormalization(3), L.GroupNormalization(-1))
    chain("unit_norm", (3, 4), L.UnitNormalization(axis=1))
    chain("normalization", (3, 2), L.Normalization(axis=-1))
    chain("normalization_given", (3,), L.Normalization(mean=[1.0, 2.0, 3.0], variance=[1, 4, 9]))
    if not LEGACY:
        chain("rms_norm", (3, 4), L.RMSNormalization())


def activations():
    """As options and as layers."""
    names = (
        "linear relu elu selu sigmoid tanh softplus softsign exponential softmax gelu swish mish"
    )
    names += " hard_sigmoid relu6"
    if not LEGACY:
        names += " silu log_softmax leaky_relu hard_silu hard_tanh log_sigmoid celu tanh_shrink"
        names += " squareplus"
    for name in names.split():
        if not (LEGACY and name in ("relu6", "mish")):
            chain(f"activation_{name}", (5,), L.Activation(name), x=4 * floats(2, 5))
    chain(
        "relu_limited",
        (5,),
        L.ReLU(max_value=2.0, negative_slope=0.25, threshold=0.5),
        x=4 * floats(3, 5),
    )
    chain("relu6_layer", (5,), L.ReLU(6.0), L.ReLU(0.5))
    chain("leaky_relu_layer", (5,), L.LeakyReLU(0.2), L.ELU(0.7))
    chain("prelu", (3, 4, 2), L.PReLU(shared_axes=[1, 2]), L.PReLU())
    chain("softmax_axis", (3, 4), L.Softmax(axis=1), L.Softmax(axis=[1, 2]))
    layer = L.LeakyReLU(0.3) if LEGACY else L.ReLU(negative_slope=0.3)
    chain("activation_that_is_a_layer", (3,), L.Dense(4, activation=layer))


def reshapings():
    """What moves, repeats and cuts."""
    chain("flatten", (2, 3, 2), L.Flatten(), L.Dense(2))
    chain("flatten_first", (2, 3, 2), L.Flatten(data_format="channels_first"))
    chain("reshape", (6, 2), L.Reshape((3, -1, 2)), L.Permute((2, 1, 3)))
    chain("repeat", (3,), L.RepeatVector(4), L.Dense(2, activation="relu"))
    chain("dense_3d_any", (None, 3), L.Dense(2, activation="gelu"))
    chain("padding", (3, 4, 2), L.ZeroPadding2D(((1, 2), (0, 1))), L.Cropping2D(((1, 0), (1, 1))))
    chain("padding1d", (4, 2), L.ZeroPadding1D((1, 2)), L.Cropping1D((0, 1)), L.UpSampling1D(3))
    chain("padding3d", (2, 3, 2, 1), L.ZeroPadding3D(1), L.Cropping3D(((1, 0), (1, 1), (0, 1))))
    chain("up_sampling", (2, 3, 2), L.UpSampling2D((2, 3)))
    chain("up_sampling_bilinear", (2, 3, 2), L.UpSampling2D(2, interpolation="bilinear"))
    chain("up_sampling_any", (None, None, 1), L.UpSampling2D(2), x=floats(1, 3, 2, 1))
    chain("up_sampling3d", (2, 2, 2, 1), L.UpSampling3D((2, 1, 3)))
    chain("up_sampling1d_any", (None, 2), L.UpSampling1D(2))
    chain("noise", (4,), L.Dropout(0.5), L.GaussianNoise(1.0), L.AlphaDropout(0.2), L.Dense(2))


def preprocessings():
    """Images and categories."""
    chain(
        "rescaling", (3, 3, 2), L.Rescaling(0.5, offset=-1.0), L.RandomFlip(), L.RandomRotation(0.2)
    )
    chain("resizing", (4, 5, 2), L.Resizing(3, 7), L.Resizing(6, 5, interpolation="nearest"))
    chain("center_crop", (7, 6, 1), L.CenterCrop(4, 3))
    chain("uint8", (2, 2, 1), L.Rescaling(0.5), dtype="uint8", x=ints(255, 2, 2, 2, 1))
    for mode in ("multi_hot", "one_hot", "count"):
        x = ints(4, 3, 1 if mode == "one_hot" else 3)
        layer = L.CategoryEncoding(4, output_mode=mode)
        chain(f"category_{mode}", x.shape[1:], layer, dtype="int32", x=x)


def merges():
    """Several inputs."""
    shape = (3, 4)
    for kind in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum"):
        a, b = L.Input(shape, name="a"), L.Input(shape, name="b")
        y = getattr(L, kind)()([a, b])
        add(kind.lower(), keras.Model([a, b], y), floats(2, *shape), floats(2, *shape))
    a, b = L.Input(shape, name="a"), L.Input((4,), name="b")
    add("add_of_ranks", keras.Model([a, b], L.Add()([a, b])), floats(2, 3, 4), floats(2, 4))
    a, b = L.Input(shape, name="a"), L.Input(shape, name="b")
    y = [L.Concatenate(axis=1)([a, b]), L.Concatenate()([a, b, a])]
    add("concatenate", keras.Model([a, b], y), floats(2, *shape), floats(2, *shape))
    a, b = L.Input((3, 4), name="a"), L.Input((5, 4), name="b")
    y = [L.Dot(axes=2)([a, b]), L.Dot(axes=(2, 2), normalize=True)([b, a])]
    add("dot", keras.Model([a, b], y), floats(2, 3, 4), floats(2, 5, 4))
    a, b = L.Input((4,), name="a"), L.Input((4,), name="b")
    add(
        "dot_2d",
        keras.Model([a, b], L.Dot(axes=1, normalize=True)([a, b])),
        floats(2, 4),
        floats(2, 4),
    )
    a, b = L.Input((3, 4), name="a"), L.Input((4,), name="b")
    add(
        "dot_of_ranks",
        keras.Model([a, b], L.Dot(axes=(2, 1))([a, b])),
        floats(2, 3, 4),
        floats(2, 4),
    )
    a = L.Input((4,), name="a")
    y = (a * 2.0 - L.Dense(4)(a)) / 3.0 + a
    add("operators", keras.Model(a, y), floats(2, 4))


def recurrents():
    """Cells, states, directions, masks."""
    chain("simple_rnn", (4, 3), L.SimpleRNN(2))
    chain("lstm", (4, 3), L.LSTM(2, return_sequences=True), L.LSTM(3, go_backwards=True))
    chain("lstm_hard", (3, 2), L.LSTM(2, recurrent_activation="hard_sigmoid", use_bias=False))
    chain("lstm_any", (None, 3), L.LSTM(2, return_sequences=True), L.GRU(2))
    chain("lstm_long", (70, 2), L.LSTM(2))
    chain("gru", (4, 3), L.GRU(2, return_sequences=True), L.GRU(3, reset_after=False))
    chain("gru_no_bias", (3, 2), L.GRU(2, use_bias=False))
    cells = [L.LSTMCell(3), L.GRUCell(2), L.SimpleRNNCell(2)]
    chain("stacked", (3, 2), L.RNN(cells, return_sequences=True))
    chain("rnn_of_cell", (3, 2), L.RNN(L.LSTMCell(3)))
    for mode in ("concat", "sum", "mul", "ave"):
        layer = L.LSTM(2, return_sequences=mode != "sum", name="inner")
        chain(f"bidirectional_{mode}", (3, 2), L.Bidirectional(layer, merge_mode=mode))
    both = L.Bidirectional(
        L.GRU(2, name="ahead"), backward_layer=L.SimpleRNN(2, go_backwards=True, name="back")
    )
    chain("bidirectional_of_two", (3, 2), both)
    x = L.Input((3, 2), name="x")
    add(
        "bidirectional_apart",
        keras.Model(x, L.Bidirectional(L.LSTM(2), merge_mode=None)(x)),
        floats(2, 3, 2),
    )
    x = L.Input((3, 2), name="x")
    y, h, c = L.LSTM(2, return_state=True, name="encoder")(x)
    z = L.LSTM(2, return_sequences=True, name="decoder")(x, initial_state=[h, c])
    add("states", keras.Model(x, [y, z, c]), floats(2, 3, 2))
    x = L.Input((3, 2), name="x")
    found = L.Bidirectional(L.LSTM(2, return_state=True))(x)
    add("bidirectional_states", keras.Model(x, list(found)), floats(2, 3, 2))
    chain(
        "conv_lstm",
        (3, 4, 4, 1),
        L.ConvLSTM2D(2, 3, padding="same", return_sequences=True),
        L.ConvLSTM2D(1, 2, strides=2),
    )
    chain(
        "time_distributed",
        (3, 4, 4, 1),
        L.TimeDistributed(L.Conv2D(2, 2, name="c")),
        L.TimeDistributed(L.Flatten()),
    )
    chain(
        "time_distributed_any",
        (None, 3),
        L.TimeDistributed(L.Dense(2, activation="relu", name="d")),
    )
    inner = keras.Sequential([L.Input((2, 3)), L.LSTM(2)], name="inner")
    chain("time_distributed_model", (3, 2, 3), L.TimeDistributed(inner))
    masks()


def masks():
    """Steps that are left out."""
    x = floats(3, 4, 2)
    x[0, 2:], x[1, :1], x[2] = 0, 0, 0
    chain("masking", (4, 2), L.Masking(), L.LSTM(2), x=x)
    chain(
        "masking_sequences", (4, 2), L.Masking(), L.Dense(2), L.GRU(2, return_sequences=True), x=x
    )
    chain(
        "masking_bidirectional",
        (4, 2),
        L.Masking(),
        L.Bidirectional(L.LSTM(2, return_sequences=True)),
        x=x,
    )
    tokens = np.array([[1, 2, 0, 0], [3, 0, 4, 0]], np.int32)
    emb = L.Embedding(5, 3, mask_zero=True)
    chain(
        "embedding_masked",
        (4,),
        emb,
        L.Dropout(0.1),
        L.LSTM(2, go_backwards=True),
        dtype="int32",
        x=tokens,
    )
    emb = L.Embedding(5, 3, mask_zero=True)
    chain("embedding_pooled", (4,), emb, L.GlobalAveragePooling1D(), dtype="int32", x=tokens)
    chain(
        "embedding",
        (None,),
        L.Embedding(5, 3),
        L.GlobalAveragePooling1D(),
        x=tokens.astype("float32"),
    )


def models():
    """Nested, shared, several inputs and outputs."""
    inner = keras.Sequential(
        [L.Input((4,)), L.Dense(3, name="d"), L.BatchNormalization(name="b"), L.Dense(2, name="e")],
        name="inner",
    )
    middle_in = L.Input((4,), name="middle_in")
    apart = L.Dense(2, name="m" if LEGACY else "d")
    both = [inner(middle_in), apart(middle_in)]
    middle = keras.Model(middle_in, both, name="middle")
    a, b = L.Input((4,), name="a"), L.Input((4,), name="b")
    one, two = middle(a)
    three, _ = middle(b)
    shared = L.Dense(4, name="shared", activation="relu")
    y = L.Concatenate(name="joined")([one, two, three, shared(a), shared(b), inner(shared(b))])
    add(
        "nested",
        keras.Model([a, b], [y, shared(a), one]),
        floats(2, 4),
        floats(2, 4),
        keep_all=True,
    )
    frozen = keras.Sequential(
        [L.Input((3,)), L.Dense(2), L.BatchNormalization(), L.Dense(2)], name="frozen"
    )
    frozen.trainable = False
    part = keras.Sequential(
        [
            L.Input((2,)),
            L.BatchNormalization(trainable=False),
            L.Dense(2, trainable=False),
            L.BatchNormalization(),
            L.Dense(3),
        ],
        name="part",
    )
    chain("frozen", (3,), frozen, part, keep_all=True)
    if not LEGACY:
        chain("einsum_dense", (3, 4), L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"))
        chain(
            "einsum_dots",
            (3, 4),
            L.EinsumDense("...x,xy->...y", 2, bias_axes="y", activation="relu"),
        )
        conv = L.Conv2D(4, 2, groups=2, strides=2, padding="same", activation="relu")
        chain("conv2d_per_channel", (4, 5, 2), conv)
        block = keras.Sequential([L.Dense(3, activation="relu"), L.Dense(2)], name="block")
        chain("no_input_layer", (4,), block)


def main():
    """Write the file."""
    others = (convolutions, poolings, normalizations, activations, reshapings, preprocessings)
    for part in (*(() if LEGACY else others), merges, recurrents, models):
        part()
    if LEGACY:
        chain(
            "hard_sigmoid", (5,), L.Activation("hard_sigmoid"), L.LeakyReLU(0.2), x=4 * floats(2, 5)
        )
        chain(
            "convolution", (5, 5, 2), L.Conv2D(2, 3), L.DepthwiseConv2D(2), L.SeparableConv2D(2, 2)
        )
    write(f"keras{2 if LEGACY else 3}_models.json")


def write(name):
    """Write the models into a file beside this one."""
    path = Path(__file__).with_name(name)
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in MODELS.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(path, len(MODELS), path.stat().st_size, file=sys.stderr)


if __name__ == "__main__":
    main()
