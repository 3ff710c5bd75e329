"""How right the answers of the models are, on labelled images: what the defaults are chosen by.

``python -m tests.benchmarks.answers [TABLE ...] [--model NAME ...] [--limit N] [--json PATH]
[--docs]`` prints the tables of `zoo/docs/models.md`, and with ``--docs`` writes them there.
``--limit 10`` is a quick look, ``--model default best`` restricts the models, and ``--help`` lists
the tables.

What is labelled, among the reference files (``ZOO_SHARED``):

- 106 photos of COCO train2017, all people with labelled joints in them; 47 show one.
- 40 photos, by looking at them (`labels.json`): the middle and width of each face, how many people
  there are, what can be counted, and which classes of ImageNet are right; what is absent was not
  counted.
- Ants and bees by the names of their folders, which show nobody; people who make a gesture, one on
  each photo; two clips of one person.
- ``ZOO_PHOTOS_OF_NOBODY`` names a folder of more photos without people (``*.jpg``);
  `photos_of_nobody.csv` says of which repositories on GitHub ours are.
- ``ZOO_COCO_ANNOTATIONS`` names a folder with COCO's ``instances_train2017.json`` (or parts of it),
  for the outlines and for people without labelled joints, whom the labels above leave out.

``score_one`` and ``score_several`` of `tests.benchmarks.answers.pose_scores` take any function from
pixels to poses.

Intervals are of 95 %, by bootstrap over the photos.
"""
