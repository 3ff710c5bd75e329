"""How right the answers of the models are, on labelled images: what the defaults are chosen by.

``python -m tests.benchmarks.answers [faces|poses|objects|classes]`` prints the tables of
`zoo/docs/models.md`. The labels (`labels.json`) are of the 40 photos of the reference folder, made
by looking at them: the middle and width of each face, how many people there are, what can be
counted, and which classes of ImageNet are right; what is absent was not counted. The folders of
ants and bees there are labelled by their names, and those of gestures show one person each.
"""
