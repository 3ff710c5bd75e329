# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Train a model
#
# A network that reads handwritten digits, from nothing: layers, training, a look at its mistakes,
# and a file that Keras and TensorFlow.js read. The digits are the 1,797 images of 8 x 8 pixels that
# scikit-learn ships (`pip install scikit-learn`); Matplotlib draws the plots
# (`pip install 'friendly-zoo[plots]'`).

# %%
from sklearn.datasets import load_digits

import core

core.set_random_seed(7)  # equal numbers at each run
digits = load_digits()
images = (digits.images / 16).astype("float32")[..., None]
labels = digits.target
order = core.random_uniform((len(labels),)).numpy().argsort()
training, test = order[:1400], order[1400:]
images.shape, labels[:10]

# %% [markdown]
# ## Layers
#
# Names, arguments and defaults are those of Keras. A wrong name gets the list of the valid ones.

# %%
layers = core.layers
model = core.Sequential(
    [
        layers.Input((8, 8, 1)),
        layers.Conv2D(16, 3, padding="same", activation="relu"),
        layers.BatchNormalization(momentum=0.9),
        layers.MaxPooling2D(),
        layers.Conv2D(32, 3, activation="relu"),
        layers.Flatten(),
        layers.Dropout(0.3),
        layers.Dense(10, activation="softmax"),
    ],
    name="digits",
)
model.summary()

# %% [markdown]
# ## Training
#
# Each step, with its gradients and the update, is one compiled program. Training ends when the
# images that were kept back are read no better, and goes back to the best epoch.

# %%
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    images[training],
    labels[training],
    epochs=12,
    validation_split=0.15,
    verbose=2,
    callbacks=[core.callbacks.EarlyStopping(patience=3, restore_best_weights=True)],
)

# %%
core.plots.history(history.history)

# %% [markdown]
# ## How good is it?
#
# Only images that training has not seen give an honest answer.

# %%
loss, accuracy = model.evaluate(images[test], labels[test])
print(f"{accuracy:.1%} of {len(test)} images are read correctly")

# %%
found = model.predict(images[test]).numpy().argmax(axis=1)
core.plots.confusion_matrix(labels[test], found)

# %% [markdown]
# ## More data from the data
#
# A dataset turns and shifts the images a little, each time anew.

# %%
more = (
    core.data.from_arrays(images[training], labels[training])
    .shuffle(seed=1)
    .batch(32)
    .map(core.data.augmentation.RandomRotation(0.02, "constant", seed=2))
    .map(core.data.augmentation.RandomTranslation(0.06, 0.06, "constant", seed=3))
)
history = model.fit(more, epochs=6, verbose=2)
print(f"{model.evaluate(images[test], labels[test], return_dict=True)['accuracy']:.1%}")

# %% [markdown]
# ## Where does the time go?

# %%
print(core.profile(model.train_on_batch, images[:64], labels[:64]).by_layer())

# %% [markdown]
# ## Keep it
#
# Keras reads a `.keras` file, with the state of the optimizer; TensorFlow.js reads a folder.

# %%
import os
import tempfile

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "digits.keras")
    model.save(path)
    again = core.load_layers_model(path)
    difference = abs(again.predict(images[:8]).numpy() - model.predict(images[:8]).numpy()).max()
    model.save(os.path.join(folder, "digits-web"))
    print(difference, sorted(os.listdir(os.path.join(folder, "digits-web"))))
