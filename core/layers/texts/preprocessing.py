"""Documentation of layers that prepare images and numbers."""

ABOUT = {
    "Resizing": """
Resize images.

Called on `[batch, rows, columns, channels]`, returns `[batch, height, width, channels]`.

>>> import core
>>> core.layers.Resizing(2, 2)(core.ones((1, 4, 6, 3))).shape
(1, 2, 2, 3)
""",
    "Rescaling": """
Multiply by a factor, and add an offset: pixels from 0 to 255 become values from 0 to 1.

Called on a tensor of any shape, returns one of that shape.

>>> import core
>>> core.layers.Rescaling(scale=2.0, offset=-1.0)([[0.0, 0.5, 1.0]]).numpy()
array([[-1.,  0.,  1.]], dtype=float32)
""",
    "CenterCrop": """
Cut the centre out of images; smaller images are resized.

Called on `[batch, rows, columns, channels]`, returns `[batch, height, width, channels]`.

>>> import core
>>> core.layers.CenterCrop(2, 2)(core.ones((1, 4, 6, 3))).shape
(1, 2, 2, 3)
""",
    "CategoryEncoding": """
Encode integers as vectors with a place for each category.

Called on integers `[batch]` or `[batch, values]`, returns `[batch, num_tokens]`; with output_mode
"one_hot" `[batch, values, num_tokens]`. The call takes `count_weights` for the mode "count".

>>> import core
>>> core.layers.CategoryEncoding(4)(core.tensor([[0, 1], [3, 3]])).numpy()
array([[1., 1., 0., 0.],
       [0., 0., 0., 1.]], dtype=float32)
""",
    "Discretization": """
Replace numbers by the number of the bin that they lie in.

Called on a tensor of any shape, returns integers of that shape, or their encoding by output_mode.
A boundary belongs to the bin above it. There is no adapt(): give bin_boundaries.

>>> import core
>>> core.layers.Discretization(bin_boundaries=[0.0, 1.0])([[-1.0, 0.5, 1.0]]).numpy()
array([[0, 1, 2]], dtype=int32)
""",
    "StringLookup": """
Replace texts by their numbers in a vocabulary.

Called on texts of any shape, returns integers of that shape, or a vector for each text by the
output_mode "one_hot". "multi_hot" and "count" give a vector for each row of `[batch, texts]`, or
one for `[texts]`, as in Keras; "tf_idf" multiplies counts by idf_weights. Numbers begin with that
of the mask token, where there is one, then those of unknown texts; without any of these, unknown
texts become -1. Vectors leave masked texts out. Give a vocabulary, or let adapt() find it in data.

>>> import core
>>> core.layers.StringLookup(vocabulary=["cat", "dog"])(["dog", "owl"]).numpy()
array([2, 0], dtype=int32)
""",
    "IntegerLookup": """
Replace integers by their numbers in a vocabulary.

Called on integers of any shape, returns integers of that shape, or vectors by output_mode, all like
`StringLookup`.

>>> import core
>>> core.layers.IntegerLookup(vocabulary=[10, 30])([30, 20, 10]).numpy()
array([2, 0, 1], dtype=int32)
""",
    "TextVectorization": """
Replace texts by the numbers of their words in a vocabulary.

Called on texts `[batch]` or `[batch, 1]`, returns integers `[batch, words]`: 0 fills short rows,
1 stands for unknown words. With output_mode "multi_hot", "count" or "tf_idf" it returns
`[batch, size of the vocabulary]`, where 0 is the place of unknown words. Give a vocabulary, or let
adapt() find it in data. Files of TensorFlow.js cannot have the layer.

>>> import core
>>> layer = core.layers.TextVectorization(vocabulary=["cat", "sat"], output_sequence_length=4)
>>> layer(["The cat sat.", "Sat!"]).numpy()
array([[1, 2, 3, 0],
       [3, 0, 0, 0]], dtype=int32)
""",
    "ReversibleEmbedding": """
Replace integers by rows of a table, or vectors by their products with all rows.

Called on integers `[batch, ...]`, returns `[batch, ..., output_dim]`; called with `reverse=True` on
`[batch, ..., output_dim]`, returns scores `[batch, ..., input_dim]`.

Source: Press, Wolf, "Using the Output Embedding to Improve Language Models" (2017),
https://arxiv.org/abs/1608.05859.

>>> import core
>>> layer = core.layers.ReversibleEmbedding(10, 2)
>>> layer(layer(core.tensor([[1, 5, 9]])), reverse=True).shape
(1, 3, 10)
""",
}
