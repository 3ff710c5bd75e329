"""Training steps of one network here and in PyTorch, from equal weights, on equal data.

`head`: a dense head, 1024 → 100 → 3. `mobilenet`: MobileNet v1 0.25 for images of 224 x 224 and
1000 classes, with biases instead of batch norm. `mobilenet_norm`: with batch norm, here made of
`core.layers` and trained by `train_on_batch`. Batches of 16, Adam, cross entropy.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

BATCH = 16

#: The depthwise convolutions of MobileNet v1 0.25: channels after the product, and stride.
BLOCKS = (
    (16, 1),
    (32, 2),
    (32, 1),
    (64, 2),
    (64, 1),
    (128, 2),
    *[(128, 1)] * 5,
    (256, 2),
    (256, 1),
)

#: Makes one step and returns the loss.
Step = Callable[[], float]


class Layer(NamedTuple):
    """A layer: ``"conv"``, ``"depthwise"`` or ``"dense"``, its weights as here, and its stride."""

    kind: str
    weight: np.ndarray
    bias: np.ndarray
    stride: int = 1


class Case(NamedTuple):
    """A network and its data.

    Attributes:
        layers: in order; after convolutions relu6, before the last dense one the mean of pixels.
        x: the batch, channels last.
        classes: the class of each member.
        steps: how many steps a turn has.
        rate: learning rate.
        has_norm: whether batch norm follows convolutions, which have no biases then; a model of
            layers has it.
    """

    layers: Sequence[Layer]
    x: np.ndarray
    classes: np.ndarray
    steps: int
    rate: float = 0.001
    has_norm: bool = False

    @property
    def labels(self) -> np.ndarray:
        """Return the classes as rows with a 1."""
        return np.eye(len(self.layers[-1].bias), dtype=np.float32)[self.classes]


def head() -> Case:
    """Return the dense head."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((BATCH, 1024), np.float32)
    classes = rng.integers(0, 3, BATCH)
    layers = [
        _layer(rng, "dense", (1024, 100), 1024),
        _layer(rng, "dense", (100, 3), 100),
    ]
    return Case(layers, x, classes, 50)


def mobilenet() -> Case:
    """Return MobileNet v1 0.25."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (BATCH, 224, 224, 3)).astype(np.float32)
    layers, channels = [_layer(rng, "conv", (3, 3, 3, 8), 27, 2)], 8
    for wide, stride in BLOCKS:
        layers.append(_layer(rng, "depthwise", (3, 3, channels, 1), 9, stride))
        layers.append(_layer(rng, "conv", (1, 1, channels, wide), channels))
        channels = wide
    layers.append(_layer(rng, "dense", (channels, 1000), 4 * channels))
    return Case(layers, x, rng.integers(0, 1000, BATCH), 2)


def mobilenet_norm() -> Case:
    """Return MobileNet v1 0.25 with batch norm."""
    return mobilenet()._replace(has_norm=True)


CASES: dict[str, Callable[[], Case]] = {
    "head": head,
    "mobilenet": mobilenet,
    "mobilenet_norm": mobilenet_norm,
}

#: Of batch norm, as in Keras's MobileNet.
EPSILON = 1e-3


def _layer(
    rng: np.random.Generator, kind: str, shape: tuple[int, ...], fan_in: int, stride: int = 1
) -> Layer:
    weight = rng.standard_normal(shape, np.float32) * np.float32(np.sqrt(2 / fan_in))
    channels = shape[2] if kind == "depthwise" else shape[-1]
    return Layer(kind, weight, np.zeros(channels, np.float32), stride)


def ours(case: Case, *, compiled: bool) -> Step:
    """Return a step with `core`."""
    import core

    if case.has_norm:
        return _step_of_model(case, compiled=compiled)
    x, labels = core.tensor(case.x), core.tensor(case.labels)
    weights = [(core.variable(each.weight), core.variable(each.bias)) for each in case.layers]
    adam = core.train.adam(case.rate)

    def logits(x: core.Tensor) -> core.Tensor:
        for layer, (weight, bias) in zip(case.layers, weights, strict=True):
            if layer.kind == "dense":
                x = core.mean(x, axis=(1, 2)) if len(x.shape) == 4 else x
                activation = "linear" if layer is case.layers[-1] else "relu"
                x = core.fused_matmul(x, weight, bias, activation=activation)
                continue
            convolve = core.fused_depthwise_conv2d
            if layer.kind == "conv":
                convolve = core.fused_conv2d
            pad = weight.shape[0] // 2
            x = convolve(x, weight, bias, strides=layer.stride, pad=pad, activation="relu6")
        return x

    def step(x: core.Tensor, labels: core.Tensor) -> core.Tensor:
        def loss() -> core.Tensor:
            return -core.mean(core.sum(labels * core.log_softmax(logits(x)), axis=1))

        return adam.minimize(loss, return_cost=True)

    made = core.compile(step) if compiled else step
    if compiled:
        made.warmup(x, labels)
    return lambda: made(x, labels).item()


def _step_of_model(case: Case, *, compiled: bool) -> Step:
    """Return a step of a model of layers."""
    import core

    layers, weights = core.layers, []
    image = x = core.layers.Input(case.x.shape[1:])
    for layer in case.layers:
        weights.append(layer.weight)
        if layer.kind == "dense":
            x = layers.Dense(len(layer.bias))(layers.GlobalAveragePooling2D()(x))
            weights.append(layer.bias)
            continue
        options = {"strides": layer.stride, "use_bias": False, "padding": "same"}
        size = layer.weight.shape[0]
        if layer.stride == 2:  # PyTorch's padding of one on each side
            x, options["padding"] = layers.ZeroPadding2D(1)(x), "valid"
        if layer.kind == "conv":
            x = layers.Conv2D(layer.weight.shape[3], size, **options)(x)
        else:
            x = layers.DepthwiseConv2D(size, **options)(x)
        x = layers.ReLU(6.0)(layers.BatchNormalization(epsilon=EPSILON)(x))
        weights += [np.ones_like(layer.bias), layer.bias]
    model = core.Model(image, x)
    for variable, weight in zip(model.trainable_variables, weights, strict=True):
        variable.assign(weight)
    loss = core.losses.CategoricalCrossentropy(from_logits=True)
    model.compile(core.optimizers.Adam(case.rate), loss, run_eagerly=not compiled)
    x, labels = core.tensor(case.x), core.tensor(case.labels)  # as PyTorch's are tensors
    return lambda: model.train_on_batch(x, labels)


def theirs(case: Case, threads: int, kind: str, device: str = "cpu") -> Step:
    """Return a step with PyTorch.

    Args:
        case: the network.
        threads: how many threads PyTorch has.
        kind: ``"eager"``, ``"fused Adam"``, ``"channels last"`` or ``"compiled"``.
        device: ``"cpu"`` or ``"cuda"``.
    """
    import torch

    torch.set_num_threads(threads)
    model = torch.nn.Sequential(*_torch_layers(case)).to(device)
    x = np.moveaxis(case.x, -1, 1) if case.x.ndim == 4 else case.x
    inputs = torch.from_numpy(np.ascontiguousarray(x)).to(device)
    if kind == "channels last":
        model = model.to(memory_format=torch.channels_last)
        inputs = inputs.to(memory_format=torch.channels_last)
    fused = True if kind == "fused Adam" else None
    adam = torch.optim.Adam(model.parameters(), lr=case.rate, eps=1e-7, fused=fused)
    criterion = torch.nn.CrossEntropyLoss()
    classes = torch.from_numpy(case.classes).to(device)

    def forward(inputs: Any, classes: Any) -> Any:
        return criterion(model(inputs), classes)

    loss_of = torch.compile(forward) if kind == "compiled" else forward

    def step() -> float:
        adam.zero_grad()
        loss = loss_of(inputs, classes)
        loss.backward()
        adam.step()
        return loss.item()

    return step


def _torch_layers(case: Case) -> list[Any]:
    """Return the layers of PyTorch, with the weights of a case."""
    import torch

    made: list[Any] = []
    for layer in case.layers:
        weight = layer.weight
        if layer.kind == "dense":
            if case.x.ndim == 4:
                made += [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()]
            own: Any = torch.nn.Linear(*weight.shape)
            order, activation = (1, 0), torch.nn.ReLU()
        else:
            size, _, channels, wide = weight.shape
            groups = channels if layer.kind == "depthwise" else 1
            own = torch.nn.Conv2d(
                channels, wide * groups, size, layer.stride, size // 2, groups=groups,
                bias=not case.has_norm,
            )  # fmt: skip
            order = (2, 3, 0, 1) if groups > 1 else (3, 2, 0, 1)
            activation = torch.nn.ReLU6()
        with torch.no_grad():
            own.weight.copy_(torch.from_numpy(weight.transpose(order).copy()))
            if own.bias is not None:
                own.bias.zero_()
        has_norm = case.has_norm and layer.kind != "dense"
        norm = [torch.nn.BatchNorm2d(len(layer.bias), EPSILON, 0.01)] if has_norm else []
        made += [own, *norm, activation]
    return made[:-1]
