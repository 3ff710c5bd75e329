"""Files of PyTorch train as PyTorch trains: losses, weights, what of a file trains."""

import numpy as np
import pytest

import core
from core.converter.onnx import read_onnx
from core.errors import CoreError
from core.graph_model.graph_model import GraphModel
from tests.core.converter.onnx import protos
from tests.core.converter.onnx.test_torch_exports import by_onnx_runtime
from tests.helpers import require
from weights_cache.common.errors import WeightsError

#: Losses of 20 steps, and what the network computes after them.
MOST_APART = 1e-3

STEPS, BATCH, RATE = 20, 4, {"momentum": 0.01, "adam": 1e-3}

#: All networks in one way of training, and in each way those that issue and note name.
CASES = [
    *((name, "momentum", False) for name in ("resnet", "vit", "unet", "lstm")),
    *((name, how, False) for name in ("sampled", "mobilenet_v3") for how in RATE),
    *(("mobilenet_v3", how, True) for how in RATE),
]


@pytest.fixture(autouse=True)
def _oracles():
    for name in ("torch", "onnx", "onnxruntime"):
        require(name)


def exported_to_train(network, name, path):
    """Write a file with the weights under PyTorch's names, and batch norm as nodes; its model."""
    import torch

    from tests.core.converter.onnx.pytorch.networks import SHAPES, exported

    mode = torch.onnx.TrainingMode.PRESERVE
    content = exported(
        network, SHAPES[name], 20, free_batch=True, training=mode, do_constant_folding=False
    )
    path.write_bytes(content)
    return GraphModel(read_onnx(path), core.get_backend())


def drawn_batches(name, outputs):
    from tests.core.converter.onnx.pytorch.networks import SHAPES

    rng = np.random.default_rng(3)
    shapes = (BATCH, *SHAPES[name][1:]), (BATCH, *outputs)
    return [[rng.standard_normal(s).astype(np.float32) for s in shapes] for _ in range(4)]


def losses_of_pytorch(network, how, batches):
    import torch

    rate, parameters = RATE[how], [*network.parameters()]
    optimizer = (
        torch.optim.Adam(parameters, rate)
        if how == "adam"
        else torch.optim.SGD(parameters, rate, momentum=0.9)
    )
    losses = []
    for i in range(STEPS):
        x, wanted = map(torch.from_numpy, batches[i % len(batches)])
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(network(x).tanh(), wanted.tanh())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def our_losses(trained, how, batches, training=False):
    """The losses of steps that are one plan."""
    rate = RATE[how]
    adam = core.train.adam(rate, epsilon=1e-8)
    optimizer = adam if how == "adam" else core.train.momentum(rate, 0.9)

    def loss(x, wanted):
        return core.mean(core.square(core.tanh(trained(x, training)) - core.tanh(wanted)))

    @core.compile
    def step(x, wanted):
        return optimizer.minimize(lambda: loss(x, wanted), return_cost=True)

    losses = [step(*batches[i % len(batches)]).item() for i in range(STEPS)]
    assert "a plan" in step.report()
    return losses


def check_training(name, how, training, path):
    import torch

    from tests.core.converter.onnx.pytorch.networks import SHAPES, seeded

    network = seeded(name)
    with torch.inference_mode():
        outputs = network(torch.zeros(SHAPES[name])).shape[1:]
    trained = exported_to_train(network, name, path).trainable("*", momentum=0.9)
    network.train(training)
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0  # a file of an inference has none
    batches = drawn_batches(name, outputs)
    found = our_losses(trained, how, batches, training)
    expected = losses_of_pytorch(network, how, batches)
    assert sum(found[-4:]) < sum(found[:4])
    np.testing.assert_allclose(found, expected, atol=MOST_APART, rtol=0)
    with torch.inference_mode():
        x, y = batches[0][0], network.eval()(torch.from_numpy(batches[0][0])).numpy()
    assert np.abs(trained.predict(x)["y"].numpy() - y).max() < 5 * MOST_APART * np.ptp(y)


@pytest.mark.parametrize("name, how, training", CASES)
def test_losses_beside_pytorch(name, how, training, tmp_path):
    check_training(name, how, training, tmp_path / "x.onnx")


def test_the_notes_network_on_each_backend(backend, tmp_path):
    check_training("sampled", "momentum", False, tmp_path / "x.onnx")


def test_what_was_trained_is_saved(tmp_path):
    from tests.core.converter.onnx.pytorch.networks import seeded

    trained = exported_to_train(seeded("sampled"), "sampled", tmp_path / "x.onnx").trainable("*")
    ((x, wanted), *_) = drawn_batches("sampled", (5,))
    our_losses(trained, "adam", [(x, wanted)])
    path = trained.save(tmp_path / "trained.onnx")
    expected = trained.predict(x)["y"].numpy()
    np.testing.assert_allclose(core.load_model(path).predict(x)["y"].numpy(), expected, atol=1e-5)
    np.testing.assert_allclose(by_onnx_runtime(path.read_bytes(), x), expected, atol=1e-5)
    with pytest.raises(WeightsError, match="is there already: overwrite=True replaces it"):
        trained.save(path)
    with pytest.raises(WeightsError, match="none of ONNX's nodes .*GridSample"):
        trained.save(tmp_path / "web")


@pytest.mark.parametrize("name", ["resnet", "mobilenet_v3", "yolo", "vit", "unet", "lstm"])
def test_weights_are_pytorchs_parameters(name, tmp_path):
    from tests.core.converter.onnx.pytorch.networks import seeded

    network = seeded(name)
    trained = exported_to_train(network, name, tmp_path / "x.onnx").trainable("*")
    parameters = dict(network.named_parameters())
    assert trained.trainable_variables.keys() == parameters.keys()
    for key, value in parameters.items():
        np.testing.assert_array_equal(trained.variables[key].numpy(), value.detach().numpy())
    statistics = {key for key, _ in network.named_buffers() if "running" in key}
    assert trained.variables.keys() - parameters.keys() == statistics


def test_new_norms_whose_weights_the_exporter_joined_train_apart(tmp_path):
    import torch

    from tests.core.converter.onnx.pytorch.networks import ResNet

    torch.manual_seed(0)
    network = ResNet().eval()  # all scales and variances are 1, offsets and means 0
    trained = exported_to_train(network, "resnet", tmp_path / "x.onnx").trainable("*")
    assert trained.trainable_variables.keys() == {key for key, _ in network.named_parameters()}
    x = drawn_batches("resnet", (10,))[0][0]
    network.train()(torch.from_numpy(x)).square().mean().backward()
    _, found = core.variable_grads(lambda: core.mean(core.square(trained(x, True))))
    for key, value in network.named_parameters():
        expected = value.grad.numpy()
        np.testing.assert_allclose(
            found[key].numpy(), expected, rtol=0, atol=1e-4 * np.abs(expected).max()
        )


def of_constants(folder, nodes, tensors):
    """A model x * w * 2 whose rows are repeated by a resize."""
    nodes = [
        *nodes,
        protos.node("Mul", ["x", "w"], ["a"]),
        protos.node("Mul", ["a", "two"], ["b"]),
        protos.node("Resize", ["b", "", "scales"], ["y"]),
    ]
    return GraphModel(read_onnx(protos.write(folder, protos.simple(nodes, tensors))))


def constant(name, values):
    return protos.node("Constant", [], [name], value=np.array(values, np.float32))


def test_initializers_train_and_numbers_of_the_computation_do_not(tmp_path):
    values = {"w": [3.0, 4.0], "scales": [2.0]}
    tensors = [protos.tensor(np.float32(each), name) for name, each in values.items()]
    model = of_constants(tmp_path, [constant("two", 2.0)], tensors)
    assert [*model.trainable("*").variables] == ["w"]
    with pytest.raises(CoreError, match="'two' .a number of the computation, not a weight"):
        model.trainable("two")
    with pytest.raises(CoreError, match="'scales' .an attribute of a node"):
        model.trainable("scales")


def test_constants_train_in_files_without_initializers(tmp_path):
    values = {"w": [3.0, 4.0], "two": 2.0, "scales": [2.0]}
    model = of_constants(tmp_path, [constant(*item) for item in values.items()], [])
    assert [*model.trainable("*").variables] == ["w", "two"]
