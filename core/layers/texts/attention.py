"""Documentation of attention."""

_CALL = """
Called as `layer(query, value, key=value)`; query `[batch, queries, features]`, value and key
`[batch, positions, features]`; returns `[batch, queries, features]`. The call takes `query_mask`,
`value_mask`, `key_mask`, `attention_mask`, `use_causal_mask=True` for positions up to the query's,
and `return_attention_scores=True`, which returns the weights, too, `[batch, heads, queries,
positions]`.
"""

_LISTED = """
Called as `layer([query, value])` or `layer([query, value, key])`; query `[batch, queries,
features]`, value and key `[batch, positions, features]`; returns `[batch, queries, features]`. The
call takes `mask=[query_mask, value_mask]`, `use_causal_mask=True` for positions up to the query's,
and `return_attention_scores=True`, which returns the weights, too.
"""

ABOUT = {
    "MultiHeadAttention": f"""
Mix values by weights that compare each query with each key, in several heads with own projections.
{_CALL}
Source: Vaswani et al., "Attention Is All You Need" (2017), https://arxiv.org/abs/1706.03762.

>>> import core
>>> layer = core.layers.MultiHeadAttention(num_heads=2, key_dim=4)
>>> layer(core.ones((1, 3, 8)), core.ones((1, 5, 8))).shape
(1, 3, 8)
""",
    "GroupQueryAttention": f"""
Mix values as multi-head attention does, where groups of query heads share keys and values.
{_CALL}
Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
Checkpoints" (2023), https://arxiv.org/abs/2305.13245.

>>> import core
>>> layer = core.layers.GroupQueryAttention(4, num_query_heads=4, num_key_value_heads=2)
>>> layer(core.ones((1, 3, 8)), core.ones((1, 5, 8))).shape
(1, 3, 8)
""",
    "Attention": f"""
Mix values by the softmax of the dot products of queries and keys.
{_LISTED}
Source: Luong, Pham, Manning, "Effective Approaches to Attention-based Neural Machine Translation"
(2015), https://arxiv.org/abs/1508.04025.

>>> import core
>>> query, value = core.zeros((1, 1, 2)), core.tensor([[[1.0, 2.0], [3.0, 4.0]]])
>>> core.layers.Attention()([query, value]).numpy()
array([[[2., 3.]]], dtype=float32)
""",
    "AdditiveAttention": f"""
Mix values by the softmax of sums of tanh(query + key).
{_LISTED}
Source: Bahdanau, Cho, Bengio, "Neural Machine Translation by Jointly Learning to Align and
Translate" (2015), https://arxiv.org/abs/1409.0473.

>>> import core
>>> query, value = core.zeros((1, 1, 2)), core.tensor([[[1.0, 2.0], [1.0, 2.0]]])
>>> core.layers.AdditiveAttention()([query, value]).numpy()
array([[[1., 2.]]], dtype=float32)
""",
}
