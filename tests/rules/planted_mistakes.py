"""A program of a user: type checkers complain of the lines marked so, and of no other.

It is not run: test_types.py gives it to mypy and pyright.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import core
import zoo


def mistakes(photo: str) -> None:
    pose = zoo.estimate_single_pose(photo)
    print(pose["keypoint"])  # mistake: a key
    model = zoo.load("posenet.tiny")
    model.estimate_pose(photo)  # mistake: a method
    zoo.estimate_hands(photo, max_hand=1)  # mistake: an option
    zoo.estimate_faces(photo, landmarks="points")  # mistake: a value of an option
    zoo.classify(photo, model="mobilenet.v3")  # mistake: a model
    zoo.nonexisting  # mistake: a name of the module # noqa: B018
    core.meen(core.tensor([1.0, 2.0]))  # mistake: an op


def more_mistakes(photo: str, photos: list[str]) -> None:
    zoo.load("posenet.tiny", output_stride=12)  # mistake: a value of an option of a model
    zoo.load("posenet.tiny", stride=8)  # mistake: an option of a model
    zoo.load("movenet.lightning").estimate_hands(photo)  # mistake: a verb of another task
    zoo.estimate_multiple_poses(photos)[0]["score"]  # mistake: a list of lists # noqa: B018
    zoo.detect_faces(photo, backend="cuda")  # mistake: a backend
    zoo.detect(5)  # mistake: no image
    zoo.estimate_hands(photo)[0]["keypoints"][8]["position"]["w"]  # mistake: an axis # noqa: B018
    model = zoo.load("hands.lite")
    model.estimate_hands(photo, max_hands="two")  # mistake: a value of an option


def mistakes_with_tensors(x: core.Tensor) -> None:
    core.conv2d(x, x, stride=2)  # mistake: an attribute of an op
    core.mean(x, axis="rows")  # mistake: a text for an axis
    core.matmul(x)  # mistake: a tensor is missing
    core.concat(x)  # mistake: a tensor for several
    core.cast(x, dtype="float23")  # mistake: a dtype
    x.sum(keepdims=True)  # mistake: an attribute of a method
    x.topk(2).value  # mistake: a result # noqa: B018
    print(x + {"a": 1})  # mistake: a dict for a number
    core.moments(x).variance.numpyy()  # mistake: a method of a result
    x.meen()  # mistake: a method of a tensor
    core.split(x, 2).shape  # mistake: an attribute of a list # noqa: B018
    core.image.resize_bilinear(x, (2, 2), corners=True)  # mistake: an attribute in a namespace


def mistakes_in_training(model: core.Sequential, x: np.ndarray) -> None:
    layer = core.layers.Dense(8)
    core.layers.Dense(8, activations="relu")  # mistake: an argument of a layer
    core.layers.Dense("8")  # mistake: a text for a number
    core.layers.Conv2D(8, 3, padding="full")  # mistake: a value of an argument
    core.layers.Dens(8)  # mistake: a layer
    core.layers.Dense()  # mistake: no units
    core.layers.Dense(8, traineable=False)  # mistake: an argument of all layers
    core.layers.Dense(8, trainable="no")  # mistake: a text for a flag
    core.layers.Dropout(0.5, None, None, "drop")  # mistake: a name without its word
    core.layers.LSTM(8, return_sequence=True)  # mistake: an argument of a recurrent layer
    core.layers.Bidirectional(layer, merge_mode="mean")  # mistake: a value of an argument
    core.layers.TimeDistributed("dense")  # mistake: a name for a layer
    core.layers.Resizing(32, 32, interpolation="cubic")  # mistake: a value of an argument
    core.layers.max_pool2d(pool="2")  # mistake: an argument of a function that makes a layer
    layer.unit  # mistake: an attribute of a layer # noqa: B018
    layer.units.upper()  # mistake: a method of a number
    layer.adapt(x)  # mistake: a method of other layers
    core.layers.Normalization().get_vocabulary()  # mistake: a method of other layers
    layer(x).units  # mistake: an attribute of a layer for one of a tensor # noqa: B018
    model.compile(loss=5)  # mistake: a loss
    model.compile("adam", "mse", metric=["mae"])  # mistake: an argument of compile
    model.compile(optimizer=0.1, loss="mse")  # mistake: an optimizer
    model.compile("sgd", "mse", metrics=[0.5])  # mistake: a metric
    model.fit(x, x, callbacks=["early_stopping"])  # mistake: a name for a callback
    model.fit(x, x, epochs="two")  # mistake: a text for a number
    model.fit(None)  # mistake: no data
    model.add("dense")  # mistake: no layer
    core.Model(x, x)  # mistake: data for symbolic tensors
    model.predict(x).layers  # mistake: an attribute of a tensor # noqa: B018
    model.evaluate(x, x, return_dict=True)[0]  # mistake: a dict # noqa: B018
    core.layers.Dense(2)(core.layers.Input((3,))).numpy()  # mistake: no data in a symbolic tensor
    core.callbacks.EarlyStopping(patient=3)  # mistake: an argument of a callback
    core.losses.Huber(beta=1.0)  # mistake: an argument of a loss
    core.optimizers.Adam(lr=0.1)  # mistake: an argument of an optimizer


def frames() -> Iterator[np.ndarray]:
    yield np.zeros((480, 640, 3), np.uint8)


def nose(pose: zoo.Pose) -> zoo.Keypoint:
    return pose["keypoints"][0]


def right(photo: str, photos: list[str], paths: list[Path], name: str) -> None:
    x: float = nose(zoo.estimate_single_pose(photo))["position"]["x"]
    poses: list[zoo.Pose] = zoo.estimate_single_pose(photos, model="movenet.lightning")
    people: list[zoo.Pose] = zoo.estimate_multiple_poses(image=photo, max_poses=3)
    lazy: Iterator[list[zoo.Hand]] = zoo.estimate_hands(frames(), refine=False)
    for hands in zoo.estimate_hands(frames()):
        gestures: list[zoo.Gesture] = zoo.recognize_gestures(hands)
        print([gesture["label"] for gesture in gestures])
    with open(photo, "rb") as file:
        labels: list[list[zoo.Label]] = zoo.classify([file, file.read(), paths[0]], top_k=1)
    own: zoo.LoadedModel = zoo.load(Path("model.tflite"))
    zoo.classify(photo, model=own)
    zoo.classify(photo, model=Path("model.zip"))
    anything = zoo.load(name, backend="cpu", input_size=(257, 353))
    faces: list[zoo.Face] = anything.estimate_faces(photo)
    detector = zoo.load("palm.full")
    zoo.estimate_hands(photo, model="fast", detector=detector, mirror=True)
    best = zoo.load("detect_faces.best")
    both: list[list[zoo.Face]] = best.detect_faces(paths)
    features = np.concatenate([np.asarray(t) for t in zoo.infer(photos, embedding=True)])
    mask: zoo.Segmentation = zoo.segment(features)
    instances: list[zoo.Instance] = zoo.load("bodypix.mobilenet_075").segment_persons(photo)
    source: zoo.ImageSource = zoo.read_image(photo)
    zoo.draw(source, instances).save("drawn.png")
    zoo.to_csv({"a.jpg": people, "b.jpg": zoo.detect(photo)})
    zoo.to_json(mask, indent=2)
    outputs = own.predict({"input": np.zeros((1, 224, 224, 3), np.float32)})
    print({name: tensor.numpy().shape for name, tensor in outputs.items()})
    print(anything.predict(core.tensor([1.0])), own.profile(photo).total_ms, detector.plan())
    print(x, poses, lazy, labels, faces, both, sum(map(len, zoo.models("posenet.*"))))


class Scale(core.layers.Layer):
    def build(self, input_shape: tuple[int, ...]) -> None:
        self.factor = self.add_weight((input_shape[-1],), "ones", name="factor")

    def call(self, x: core.Tensor) -> core.Tensor:
        return x * self.factor


class Doubled(core.Model):
    def __init__(self) -> None:
        super().__init__(name="doubled")
        self.dense = core.layers.Dense(4)

    def call(self, x: core.Tensor, training: bool | None = None) -> core.Tensor:
        return self.dense(x, training=training) * 2


def trained(x: np.ndarray, y: list[int]) -> core.Sequential:
    layers = core.layers
    model = core.Sequential(
        [layers.Input((4,)), Scale(), layers.Dense(3, activation=core.softmax, name="last")]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.compile(core.train.sgd(0.1), core.losses.Huber(), metrics=[core.metrics.AUC, "mae"])
    stopping = core.callbacks.EarlyStopping(patience=3)
    history = model.fit(x, y, epochs=2, validation_split=0.5, callbacks=[stopping])
    losses: list[float] = history.history["loss"]
    batches = core.data.Dataset.from_arrays((x, np.array(y))).batch(2)
    model.fit(batches, validation_data=(x, y), class_weight={0: 1.0}, callbacks=stopping)
    model.fit([[1.0, 2.0, 3.0, 4.0]], [1.0], verbose=0)
    found: core.Tensor = model.predict(x) + model(x, training=True) + model.predict_on_batch(x)
    score: float | list[float] = model.evaluate(batches)
    named: dict[str, float] = model.train_on_batch(x, y, return_dict=True)
    model.get_layer("last").trainable = False
    model.save("model.keras")
    loaded: core.Model = core.load_layers_model("model.keras")
    print(losses, found.numpy(), score, named, loaded.optimizer.get_config())
    return model


class Tempered(core.layers.Dense):
    temperature: float = 1.0

    def call(self, x: core.Tensor) -> core.Tensor:
        scores: core.Tensor = super().call(x)
        return scores / self.temperature


def configured(x: np.ndarray) -> None:
    layer = core.layers.Conv2D(8, (3, 3), padding="same", activation=core.relu, trainable=False)
    filters: int = layer.filters + core.layers.Embedding(10, 4, weights=[x]).output_dim
    lookup = core.layers.StringLookup(vocabulary=["cat", "dog"], name="words")
    words: list[str] = lookup.get_vocabulary()
    numbers: list[int] = core.layers.IntegerLookup(vocabulary=[10]).get_vocabulary()
    core.layers.Normalization().adapt(x)
    warm: float = Tempered(3, temperature=2.0, name="warm").temperature
    name: str = layer.name
    print(filters, words, numbers, warm, name, core.layers.Dense.use_bias, layer(x).numpy())


def functional(x: np.ndarray) -> None:
    a, b = core.layers.Input(shape=(4,)), core.layers.Input((None, 2), name="b")
    kernel = core.initializers.HeNormal(seed=1)
    h = core.layers.Dense(3, kernel_initializer=kernel, kernel_regularizer="l2")(a)
    h = core.layers.Concatenate()([h, core.layers.LSTM(3)(b)]) * 2 + 1
    y: core.layers.SymbolicTensor = core.layers.dense(1)(h)
    one: core.Tensor = core.Model([a, b], y).predict([x, x])
    model = core.Model([a, b], [y, h])
    model.compile("sgd", ["mse", None], loss_weights=[1.0, 0.5], metrics=[["mae"], None])
    several: list[core.Tensor] = model.predict([x, x])
    model_of_dicts = core.Model(inputs={"a": a, "b": b}, outputs={"y": y})
    model_of_dicts.compile("sgd", {"y": lambda y, p: core.mean(core.square(y - p))})
    model_of_dicts.fit({"a": x, "b": x}, {"y": x}, sample_weight=x[:, 0])
    by_name: dict[str, core.Tensor] = model_of_dicts.predict({"a": x, "b": x})
    sub: core.Model = Doubled()
    sub.compile(core.optimizers.AdamW(0.1), "mse")
    print(one, several, by_name, sub(x), [layer.name for layer in model.layers])
