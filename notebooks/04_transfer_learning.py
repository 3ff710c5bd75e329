# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Teach a model
#
# A classifier of your own classes, from 20 images of each, in one line. A pretrained network turns
# each image into a row of numbers, its *features*; a small layer learns the classes from them. That
# takes seconds, as the network itself does not change.
#
# You need a folder that has a folder of images for each class. Here the images are drawn; use your
# own instead: `folder = "my_images"`.

# %%
import sys
import tempfile
from pathlib import Path

import zoo

here = Path.cwd()
root = next(p for p in [here, *here.parents] if (p / "gallery").is_dir())
sys.path.append(str(root / "gallery" / "teach_in_a_minute"))
from drawings import MOTIFS, draw, draw_folder

work = Path(tempfile.mkdtemp())
folder = draw_folder(work / "drawings", count=20)
for path in sorted(folder.iterdir()):
    print(path.name, len([*path.iterdir()]))

# %%
from PIL import Image


def beside(images):
    row = Image.new("RGB", (sum(image.width for image in images), images[0].height))
    for index, image in enumerate(images):
        row.paste(image, (index * image.width, 0))
    return row


beside([draw(motif, number) for motif in MOTIFS for number in range(2)])

# %% [markdown]
# ## One line
#
# `features` names the network. Those of `posenet.tiny` come with the package, so this runs without
# network. Leave `features` out with your own images: then it is `mobilenet.v2_100_quant`, which
# learnt from a million images of objects and animals, and is downloaded once (3.6 MB).

# %%
model = zoo.teach(folder, features="posenet.tiny")
model

# %% [markdown]
# ## How good is it?
#
# The images are dealt to five parts. Each part is held out once, while a model learns from the
# others, so that every image is predicted by a model that has not seen it. Copies of an image, also
# resized or cropped ones, are always held out together.
#
# The range in brackets is the honest part: so few images do not say more. If it were measured again
# with other images of the same kind, the share would mostly lie in that range.

# %%
print(model.scores)

# %% [markdown]
# Drawings can be made as many as we like, so here the score can be checked, with 90 new ones:

# %%
new = {motif: [draw(motif, number) for number in range(100, 130)] for motif in MOTIFS}
right = sum(
    found["label"] == motif for motif, images in new.items() for found in model.predict(images)
)
low, high = model.scores.interval
print(f"held out {model.scores.accuracy:.0%} ({low:.0%} to {high:.0%}), new {right / 90:.0%}")

# %%
model.confusion_plot()

# %% [markdown]
# ## Images to look at
#
# First those of which the model is least sure, then those that make predictions of others worse:
# look there for wrong labels. Names and figures are in `scores.doubtful` and `scores.damaging`.

# %%
model.sheet()

# %% [markdown]
# ## Use it
#
# An image may be a path, a URL, an array, an image of Pillow. `familiar` says how like the examples
# it is, from 0 to 1. What is unlike them all is "none of these", and not the least unlikely class.

# %%
portrait = root / "gallery" / "one_line_pose" / "astronaut.jpg"
for image in (draw("houses", 200), portrait):
    found = model.predict(image)
    print(found["label"], {label: round(score, 2) for label, score in found["scores"].items()})
assert model.predict(portrait)["label"] == "none of these"

# %% [markdown]
# ## More examples, and back
#
# `add` teaches more images, also of new classes; features of the others are known already. `undo`
# takes the last ones back.

# %%
stripes = [image.rotate(90) for image in new["boats"][:12]]
model.add({"boats on end": stripes})
print(model.labels)
print(model.scores)
model.undo()
model.labels

# %% [markdown]
# ## Keep it
#
# A folder that `zoo.load` reads: what was learnt, the features of the examples, the scores, the
# licence of the network; no images. `zoo classify IMAGE --model FOLDER` takes it, too, and
# `zoo teach drawings --out FOLDER` makes it on the command line.

# %%
saved = model.save(work / "my_model")
again = zoo.load(saved)
assert again.predict(portrait) == model.predict(portrait)
again.classify(draw("trees", 201))

# %% [markdown]
# ## For a web page, or Keras
#
# A folder (or `.zip`) is for TensorFlow.js, in the layout of Teachable Machine; `.keras` and `.h5`
# are for Keras. `takes` says what the network there expects. Exports know the classes alone, not
# "none of these".

# %%
for name in ("web", "drawings.keras"):
    export = model.export(work / name)
    print(export.path.name, "takes", export.takes)
print(sorted(path.name for path in (work / "web").iterdir()))

# %% [markdown]
# ## Poses, hands, faces
#
# `features` may be `"pose"`, `"hand"`, `"face"` or `"body_parts"`: then it counts where joints are,
# and neither colours, clothes nor the room. Here it is how a head is tilted, from one portrait that
# is turned. (All images are of one person, so this score says nothing about others.)

# %%
import numpy as np

random = np.random.default_rng(1)
upright = Image.open(portrait)


def turned(degrees):
    left, top, less = random.integers(0, 40, 3).tolist()
    image = upright.rotate(degrees + random.uniform(-8, 8), Image.Resampling.BICUBIC)
    return image.crop((left, top, left + 470 - less, top + 470 - less))


tilts = {"to the left": 28, "upright": 0, "to the right": -28}
beside([turned(degrees).resize((200, 200)) for degrees in tilts.values()])

# %%
heads = zoo.teach(
    {name: [turned(d) for _ in range(10)] for name, d in tilts.items()}, features="pose"
)
print(heads.scores)
print(heads.predict(turned(28))["label"], heads.predict(draw("boats", 0))["missing"])

# %% [markdown]
# ## Nearest examples
#
# `KNNClassifier` has no training at all: an example counts at once, which suits a camera and
# buttons. It takes the features that `infer(image, embedding=True)` gives, here the joints of the
# person. It knows no intervals and no "none of these".

# %%
nearest = zoo.KNNClassifier()
for name, degrees in tilts.items():
    for _ in range(4):
        nearest.add_example(heads.infer(turned(degrees), embedding=True), name)
print(nearest)
nearest.predict_class(heads.infer(turned(-28), embedding=True))

# %% [markdown]
# ## Fine-tuning
#
# `zoo.fine_tune` trains the last layers of the network, too. It takes longer, and helps where
# classes are unlike what the network learnt from. A part of the images decides when to stop; if
# nothing gets better, the network stays as it was, which the first number of `val_loss` is of.
# Compare its scores with those of `teach`. Two epochs, to be quick:

# %%
tuned = zoo.fine_tune(
    {motif: [draw(motif, number) for number in range(12)] for motif in MOTIFS},
    model="posenet.tiny",
    epochs=2,
    views=0,
    layers=1,
)
print({name: [round(loss, 3) for loss in losses] for name, losses in tuned.history.items()})
