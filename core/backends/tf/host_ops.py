"""Ops that TensorFlow lacks, which run on cpu, each with its reason."""

HOST_OPS: dict[str, str] = {
    "numpy_function": "the function takes and returns arrays of the host",
    "multinomial": "the host's generator draws the numbers",
    "static_regex_replace": "RE2 lacks JavaScript's lookahead, back references and empty matches",
    "vocabulary_index": "TensorFlow looks up in tables, which outlive a run",
}
