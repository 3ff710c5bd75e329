"""Small networks of PyTorch, as people export them, with seeded weights.

Each is a definition of its own: torchvision and Ultralytics are not needed. Import this module
where PyTorch is installed.
"""

import io
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


def _normed(module: nn.Module, channels: int, act: Callable[[], nn.Module]) -> nn.Sequential:
    return nn.Sequential(module, nn.BatchNorm2d(channels), act())


def _conv(
    a: int, b: int, size: int = 3, stride: int = 1, groups: int = 1, act: Any = nn.ReLU
) -> nn.Sequential:
    """A convolution without bias, batch norm, an activation."""
    conv = nn.Conv2d(a, b, size, stride, size // 2, groups=groups, bias=False)
    return _normed(conv, b, act)


class BasicBlock(nn.Module):
    def __init__(self, a: int, b: int, stride: int = 1):
        super().__init__()
        self.body = nn.Sequential(
            _conv(a, b, 3, stride), nn.Conv2d(b, b, 3, 1, 1, bias=False), nn.BatchNorm2d(b)
        )
        changes = stride != 1 or a != b
        self.short = _conv(a, b, 1, stride, act=nn.Identity) if changes else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(self.body(x) + self.short(x))


class ResNet(nn.Module):
    """Of basic blocks."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(_conv(3, 16, 7, 2), nn.MaxPool2d(3, 2, 1))
        self.stages = nn.Sequential(
            BasicBlock(16, 16), BasicBlock(16, 32, 2), BasicBlock(32, 64, 2), BasicBlock(64, 64)
        )
        self.pool, self.head = nn.AdaptiveAvgPool2d(1), nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.flatten(self.pool(self.stages(self.stem(x))), 1))


class SqueezeExcite(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.less, self.more = nn.Conv2d(channels, 8, 1), nn.Conv2d(8, channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        return x * functional.hardsigmoid(self.more(functional.relu(self.less(self.pool(x)))))


class InvertedResidual(nn.Module):
    def __init__(self, a: int, wide: int, b: int, size: int, stride: int, excites: bool, act: Any):
        super().__init__()
        layers = [_conv(a, wide, 1, act=act), _conv(wide, wide, size, stride, wide, act=act)]
        layers += [SqueezeExcite(wide)] if excites else []
        self.body = nn.Sequential(*layers, _conv(wide, b, 1, act=nn.Identity))
        self.is_residual = stride == 1 and a == b

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x) if self.is_residual else self.body(x)


class MobileNetV3(nn.Module):
    """With squeeze and excitation, and hard swish."""

    def __init__(self):
        super().__init__()
        swish, relu = nn.Hardswish, nn.ReLU
        self.features = nn.Sequential(
            _conv(3, 16, 3, 2, act=swish),
            InvertedResidual(16, 16, 16, 3, 2, True, relu),
            InvertedResidual(16, 48, 24, 3, 2, False, relu),
            InvertedResidual(24, 56, 24, 3, 1, False, relu),
            InvertedResidual(24, 64, 40, 5, 2, True, swish),
            InvertedResidual(40, 96, 40, 5, 1, True, swish),
            _conv(40, 96, 1, act=swish),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Sequential(
            nn.Linear(96, 64), nn.Hardswish(), nn.Dropout(0.2), nn.Linear(64, 10)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.flatten(self.pool(self.features(x)), 1))


class C2f(nn.Module):
    """Ultralytics' block: halves, of which one passes bottlenecks whose results are all joined."""

    def __init__(self, a: int, b: int, count: int = 1, adds: bool = True):
        super().__init__()
        self.half, self.adds = b // 2, adds
        self.first = _conv(a, b, 1, act=nn.SiLU)
        self.last = _conv((2 + count) * self.half, b, 1, act=nn.SiLU)
        self.bottlenecks = nn.ModuleList(
            nn.Sequential(*(_conv(self.half, self.half, act=nn.SiLU) for _ in range(2)))
            for _ in range(count)
        )

    def forward(self, x: Tensor) -> Tensor:
        parts = [*self.first(x).chunk(2, 1)]
        for bottleneck in self.bottlenecks:
            made = bottleneck(parts[-1])
            parts.append(parts[-1] + made if self.adds else made)
        return self.last(torch.cat(parts, 1))


class SPPF(nn.Module):
    """Three poolings in turn, joined."""

    def __init__(self, channels: int):
        super().__init__()
        self.first = _conv(channels, channels // 2, 1, act=nn.SiLU)
        self.last = _conv(channels * 2, channels, 1, act=nn.SiLU)
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x: Tensor) -> Tensor:
        parts = [self.first(x)]
        for _ in range(3):
            parts.append(self.pool(parts[-1]))
        return self.last(torch.cat(parts, 1))


class Yolo(nn.Module):
    """A detector with anchor points, and distances as the means of distributions (DFL)."""

    bins, classes, strides = 16, 3, (8, 16)

    def __init__(self):
        super().__init__()
        silu = nn.SiLU
        self.stem = nn.Sequential(
            _conv(3, 8, 3, 2, act=silu), _conv(8, 16, 3, 2, act=silu), C2f(16, 16)
        )
        self.down8 = nn.Sequential(_conv(16, 32, 3, 2, act=silu), C2f(32, 32, 2))
        self.down16 = nn.Sequential(_conv(32, 48, 3, 2, act=silu), C2f(48, 48), SPPF(48))
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.join8 = C2f(80, 32, adds=False)
        self.back = _conv(32, 32, 3, 2, act=silu)
        self.join16 = C2f(80, 48, adds=False)
        self.boxes = nn.ModuleList(self._branch(c, 4 * self.bins) for c in (32, 48))
        self.scores = nn.ModuleList(self._branch(c, self.classes) for c in (32, 48))
        self.dfl = nn.Conv2d(self.bins, 1, 1, bias=False)
        self.dfl.weight.data[:] = torch.arange(self.bins, dtype=torch.float).view(1, -1, 1, 1)

    def _branch(self, channels: int, outputs: int) -> nn.Sequential:
        return nn.Sequential(_conv(channels, 16, act=nn.SiLU), nn.Conv2d(16, outputs, 1))

    def forward(self, x: Tensor) -> Tensor:
        fine = self.down8(self.stem(x))
        coarse = self.down16(fine)
        fine = self.join8(torch.cat([self.up(coarse), fine], 1))
        coarse = self.join16(torch.cat([self.back(fine), coarse], 1))
        levels = [fine, coarse]
        raw = [
            torch.cat([box(level), score(level)], 1).flatten(2)
            for box, score, level in zip(self.boxes, self.scores, levels, strict=True)
        ]
        boxes, scores = torch.cat(raw, 2).split((4 * self.bins, self.classes), 1)
        batch, _, count = boxes.shape
        binned = boxes.view(batch, 4, self.bins, count).transpose(2, 1).softmax(1)
        near, far = self.dfl(binned).view(batch, 4, count).chunk(2, 1)
        points, strides = self._points(levels)
        low, high = points - near, points + far
        found = torch.cat([(low + high) / 2, high - low], 1) * strides
        return torch.cat([found, scores.sigmoid()], 1)

    def _points(self, levels: list[Tensor]) -> tuple[Tensor, Tensor]:
        points, strides = [], []
        for level, stride in zip(levels, self.strides, strict=True):
            height, width = level.shape[2:]
            y, x = (torch.arange(n, dtype=torch.float) + 0.5 for n in (height, width))
            grid = torch.meshgrid(y, x, indexing="ij")
            points.append(torch.stack(grid[::-1], -1).view(-1, 2))
            strides.append(torch.full((height * width, 1), float(stride)))
        return torch.cat(points).T[None], torch.cat(strides).T[None]


class Encoder(nn.Module):
    """A layer of a transformer, with the norm before each part."""

    def __init__(self, width: int, heads: int, is_fused: bool):
        super().__init__()
        self.heads, self.is_fused = heads, is_fused
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        if is_fused:
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        else:
            self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.body = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def attended(self, x: Tensor) -> Tensor:
        if not self.is_fused:
            return self.attention(x, x, x, need_weights=False)[0]
        batch, count, width = x.shape
        parts = self.qkv(x).reshape(batch, count, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(q, k, v)
        return self.out(mixed.transpose(1, 2).reshape(batch, count, width))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attended(self.norms[0](x))
        return x + self.body(self.norms[1](x))


class VisionTransformer(nn.Module):
    """With a class token; one layer has PyTorch's module, the other its function of attention."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 8, 8)
        self.token = nn.Parameter(torch.randn(1, 1, 32) * 0.02)
        self.places = nn.Parameter(torch.randn(1, 17, 32) * 0.02)
        self.layers = nn.Sequential(Encoder(32, 4, False), Encoder(32, 4, True))
        self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.head(self.norm(self.layers(x))[:, 0])


class UNet(nn.Module):
    """With group norm, bilinear and transposed convolutions upwards."""

    def __init__(self):
        super().__init__()
        self.downs = nn.ModuleList([self._block(3, 8), self._block(8, 16), self._block(16, 32)])
        self.ups = nn.ModuleList(
            [
                nn.ConvTranspose2d(32, 16, 2, 2),
                nn.ConvTranspose2d(16, 8, 3, 2, 1, output_padding=1),
            ]
        )
        self.joins = nn.ModuleList([self._block(32, 16), self._block(16, 8)])
        self.head = nn.Conv2d(8, 2, 1)

    def _block(self, a: int, b: int) -> nn.Sequential:
        parts: list[nn.Module] = []
        for c in (a, b):
            parts += [nn.Conv2d(c, b, 3, padding=1), nn.GroupNorm(4, b), nn.LeakyReLU(0.1)]
        return nn.Sequential(*parts)

    def forward(self, x: Tensor) -> Tensor:
        found = []
        for i, down in enumerate(self.downs):
            x = down(functional.avg_pool2d(x, 2) if i else x)
            found.append(x)
        for up, join, skipped in zip(self.ups, self.joins, found[-2::-1], strict=True):
            x = join(torch.cat([up(x), skipped], 1))
        x = functional.interpolate(x, scale_factor=2.0, mode="bilinear", align_corners=False)
        return self.head(x)


class Recurrent(nn.Module):
    """Two layers of LSTM in both directions."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8, num_layers=2, bidirectional=True, batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.lstm(x)[0][:, -1])


class Sampled(nn.Module):
    """The seed note's ops: an affine grid, samples of the image there, instance norm."""

    def __init__(self):
        super().__init__()
        self.theta = nn.Parameter(torch.tensor([[[0.8, 0.1, 0.05], [-0.1, 0.9, 0.1]]]))
        self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.InstanceNorm2d(4, affine=True)
        self.head = nn.Linear(4 * 6 * 6, 5)

    def forward(self, x: Tensor) -> Tensor:
        grid = functional.affine_grid(
            self.theta.expand(x.shape[0], 2, 3), (x.shape[0], 3, 8, 8), align_corners=False
        )
        x = functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
        return self.head(functional.relu(self.norm(self.conv(x))).flatten(1))


#: The networks by name.
NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "resnet": ResNet,
    "mobilenet_v3": MobileNetV3,
    "yolo": Yolo,
    "vit": VisionTransformer,
    "unet": UNet,
    "lstm": Recurrent,
    "sampled": Sampled,
}

#: The shapes of their inputs.
SHAPES = {
    "resnet": (2, 3, 64, 64),
    "mobilenet_v3": (2, 3, 64, 64),
    "yolo": (1, 3, 64, 96),
    "vit": (2, 3, 32, 32),
    "unet": (1, 3, 32, 32),
    "lstm": (2, 7, 6),
    "sampled": (2, 3, 12, 12),
}


def seeded(name: str) -> nn.Module:
    """A network of `NETWORKS` in inference, whose norms have seen other statistics than 0 and 1."""
    torch.manual_seed(sum(map(ord, name)))
    network = NETWORKS[name]().eval()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.uniform_(-0.2, 0.2)
            module.running_var.uniform_(0.5, 1.5)
        if isinstance(module, (nn.BatchNorm2d, nn.GroupNorm, nn.LayerNorm, nn.InstanceNorm2d)):
            nn.init.uniform_(module.weight, 0.7, 1.3)
            nn.init.uniform_(module.bias, -0.2, 0.2)
    return network


def exported(
    network: nn.Module,
    shape: tuple[int, ...],
    opset: int,
    *,
    free_batch: bool = False,
    dynamo: bool = False,
    **options: Any,
) -> bytes:
    """The file that PyTorch's exporter writes: by tracing, or by ``dynamo`` with `onnxscript`."""
    x, file = torch.randn(shape, generator=torch.Generator().manual_seed(1)), io.BytesIO()
    if free_batch and dynamo:
        options["dynamic_shapes"] = ({0: torch.export.Dim("n")},)
    elif free_batch:
        options["dynamic_axes"] = {"x": {0: "n"}, "y": {0: "n"}}
    names = {"input_names": ["x"], "output_names": ["y"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # both exporters deprecate parts of themselves
        torch.onnx.export(
            network, (x,), file, opset_version=opset, dynamo=dynamo, **names, **options
        )
    return file.getvalue()
