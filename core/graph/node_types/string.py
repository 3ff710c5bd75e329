"""Strings; unlike TensorFlow.js's converter, which turns them to lower case, texts stay as is."""

from core.graph.node_types.rows import NodeType, copied, required

NODE_TYPES = {
    "StaticRegexReplace": NodeType(
        "static_regex_replace", (0,), attributes=required("pattern", "rewrite", "replace_global")
    ),
    "StringNGrams": NodeType(
        "string_n_grams",
        (0, 1),
        attributes=required(
            "separator",
            "left_pad",
            "right_pad",
            "pad_width",
            "preserve_short_sequences",
            n_gram_widths="ngram_widths",
        ),
        outputs=("ngrams", "ngrams_splits"),
    ),
    "StringSplit": NodeType(
        "string_split",
        (0, 1),
        attributes=copied("skip_empty"),
        outputs=("indices", "values", "shape"),
    ),
    "StringToHashBucketFast": NodeType(
        "string_to_hash_bucket_fast", (0,), attributes=required("num_buckets")
    ),
}
