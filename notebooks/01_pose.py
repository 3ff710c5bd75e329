# ---
# jupyter:
#   jupytext:
#     formats: py:percent
#   kernelspec:
#     display_name: Python 3
#     name: python3
# ---

# %% [markdown]
# # Poses
#
# A pose is where the joints of a person are in a picture. One line finds it. The model comes with
# the package: nothing is downloaded.

# %%
from pathlib import Path

import zoo

here = Path.cwd()
root = next(p for p in [here, *here.parents] if (p / "gallery").is_dir())
photo = root / "gallery" / "one_line_pose" / "astronaut.jpg"

pose = zoo.estimate_single_pose(photo)
pose["score"], pose["keypoints"][0]

# %% [markdown]
# The result is a plain dict: 17 keypoints with a name, a position in pixels of the photo, and a
# score from 0 to 1. Draw it:

# %%
zoo.draw(photo, pose)

# %% [markdown]
# ## Several people, several pictures
#
# `estimate_multiple_poses` gives a list, which is empty when nobody is there. A list of images
# gives a list of results. An iterator gives an iterator: images are read one at a time, so a whole
# film fits into memory.

# %%
people = zoo.estimate_multiple_poses(photo, max_poses=3, score_threshold=0.3)
for number, poses in enumerate(zoo.estimate_multiple_poses([photo, photo])):
    print(number, [round(p["score"], 2) for p in poses])
assert len(people) == 1

# %% [markdown]
# ## Selfies
#
# A selfie camera shows a mirror image, and a model that does not know it takes left for right.
# Say so: positions are still those of the picture given.

# %%
from PIL import Image, ImageOps

selfie = ImageOps.mirror(Image.open(photo))
mirrored = zoo.estimate_single_pose(selfie, mirror=True)
left_eye = zoo.keypoint(pose, "left_eye")["position"]
in_selfie = zoo.keypoint(mirrored, "left_eye")["position"]
print(left_eye["x"], selfie.width - in_selfie["x"])
assert abs(left_eye["x"] - (selfie.width - in_selfie["x"])) < 0.01

# %% [markdown]
# ## Finer or faster
#
# `zoo.load` keeps a model with options. A smaller `output_stride` or a larger `input_size` looks
# more closely and takes longer.

# %%
fine = zoo.load("posenet.tiny", output_stride=8, input_size=321)
fine.estimate_single_pose(photo)["score"]

# %% [markdown]
# ## For experts: tensors
#
# What the network says, before it is decoded; and the features inside, for a model of your own.

# %%
import numpy as np

print({name: spec.shape for name, spec in fine.outputs.items()})
raw = fine.predict(np.zeros((1, 257, 257, 3), np.float32))
features = fine.infer(photo, embedding=True)
print(raw["heatmap"].shape, features.shape)

# %% [markdown]
# ## To a file
#
# As JSON, or as a table with a line for each joint.

# %%
print(zoo.to_csv(pose).splitlines()[:3])
