"""Nodes on texts, as in SavedModels of text classifiers."""

import numpy as np

from tests.core.graph.control_graphs import model

TEXT = {"words": {"dtype": "string"}}


def texts(*values):
    return np.array([value.encode() for value in values], object)


def test_words_are_split_and_counted():
    text = """
        words = Placeholder
        small = StringLower words
        plain = RegexReplace small pattern new
        tokens = StringSplitV2 plain space
        place = VocabularyIndex tokens:1 known
        counts = RaggedBincount splits place size weights
    """
    constants = {
        "pattern": np.array(b"[!.]", object),
        "new": np.array(b"", object),
        "space": np.array(b"", object),
        "known": texts("cat", "ß"),
        "splits": np.int32([0, 3, 3]),
        "size": np.int32(2),
        "weights": np.zeros(0, np.float32),
    }
    graph = model(text, "counts tokens:2", constants, TEXT)
    found = graph.predict(texts("Cat ß. CAT!", " "))
    assert found["counts"].numpy().tolist() == [[2, 1], [0, 0]]
    assert found["tokens:2"].numpy().tolist() == [2, 3]


def test_characters_go_to_numbers_and_back():
    text = """
        words = Placeholder
        numbers = UnicodeDecode words
        back = UnicodeEncode numbers:1 numbers
        stripped = StringStrip back
        length = StringLength words
        joined = StringJoin stripped words
    """
    attributes = {
        **TEXT,
        "numbers": {"input_encoding": "UTF-8", "errors": "replace", "replacement_char": 63},
        "back": {"errors": "replace", "output_encoding": "UTF-8"},
        "length": {"unit": "UTF8_CHAR"},
        "joined": {"separator": "|"},
    }
    graph = model(text, "length joined", {}, attributes)
    found = graph.predict(texts(" é ", "猫\U0001f642"))
    assert found["length"].numpy().tolist() == [3, 2]
    joined = [text.decode() for text in found["joined"].numpy()]
    assert joined == ["é| é ", "猫\U0001f642|猫\U0001f642"]
