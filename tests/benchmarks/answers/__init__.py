"""How right the answers of the models are, on labelled images: what the defaults are chosen by.

``python -m tests.benchmarks.answers [TABLE ...] [--model NAME ...] [--limit N] [--json PATH]
[--docs]`` prints the tables of `zoo/docs/models.md`, and with ``--docs`` writes them there. Tables
are poses, clips, faces, objects, persons, masks, hands and classes. ``--limit 10`` is a quick look.

What is labelled, among the reference files (``ZOO_SHARED``):

- 106 photos of COCO train2017, all people in them with box and joints; 47 show one person.
- 40 photos, by looking at them (`labels.json`): the middle and width of each face, how many people
  there are, what can be counted, and which classes of ImageNet are right; what is absent was not
  counted.
- Ants and bees by the names of their folders, which show nobody; people who make a gesture, one on
  each photo; two clips of one person.
- ``ZOO_PHOTOS_OF_NOBODY`` names a folder of more photos without people (``*.jpg``).

Intervals are of 95 %, by bootstrap over the photos.
"""
