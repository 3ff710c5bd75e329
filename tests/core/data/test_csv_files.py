"""CSV files: dtypes, labels, and errors that name file, line and column."""

from io import StringIO

import numpy as np
import pytest

from core.data import csv, from_csv, text_lines
from core.errors import CoreError

TEXT = 'id,size,kind,note\n1,2.5,cat,"a, b"\n2,,dog,\n3,-1e3,cat,"two\nlines"\n'


def columns(dataset):
    return dataset.batch(100).to_list()[0]


def test_dtypes_are_found():
    found = columns(from_csv(StringIO(TEXT)))
    assert [*found] == ["id", "size", "kind", "note"]
    assert found["id"].dtype == np.int32 and found["id"].tolist() == [1, 2, 3]
    assert found["size"].dtype == np.float32 and np.isnan(found["size"][1])
    assert found["kind"].tolist() == ["cat", "dog", "cat"]
    assert found["note"].tolist() == ["a, b", "", "two\nlines"]


def test_integers_that_do_not_fit_are_floats():
    found = columns(from_csv(StringIO("a\n1\n3000000000\n")))["a"]
    assert found.dtype == np.float32 and found[1] == 3e9


def test_dtypes_are_given():
    dtypes = {"id": "float32", "flag": "bool", "code": "string"}
    found = columns(from_csv(StringIO("id,flag,code\n1,yes,007\n2,False,8\n"), dtypes=dtypes))
    assert found["id"].dtype == np.float32 and found["code"].tolist() == ["007", "8"]
    assert found["flag"].tolist() == [True, False]


def test_labels_columns_and_vectors(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\ufeffa;b;c\n1;2;x\n\n3;4;y\n", encoding="utf-8")
    dataset = csv(path, label="c", delimiter=";", as_vector=True)
    assert len(dataset) == 2
    x, y = columns(dataset)
    assert x.dtype == np.float32 and x.tolist() == [[1, 2], [3, 4]] and y.tolist() == ["x", "y"]
    x, y = columns(csv(str(path), label=["a", "c"], columns=["b"], delimiter=";"))
    assert [*x] == ["b"] and [*y] == ["a", "c"]
    assert [*columns(csv(path, header=False, delimiter=";"))] == ["0", "1", "2"]


def test_an_open_file_is_read_from_its_start():
    file = StringIO("a\n1\n")
    assert len(from_csv(file)) == len(from_csv(file)) == 1


def test_rows_are_shuffled():
    text = "n\n" + "\n".join(map(str, range(30)))
    found = [b["n"].tolist() for b in from_csv(StringIO(text)).shuffle(seed=1).batch(30)]
    assert sorted(found[0]) == [*range(30)] != found[0]


@pytest.mark.parametrize(
    "text, options, message",
    [
        ("a,b\n1,2\n", {"label": "c"}, "has no column 'c'; it has a, b"),
        ("a,b\n1,2\n", {"columns": ["d"]}, "has no column 'd'"),
        ("a,b\n1,2\n", {"dtypes": {"e": "int32"}}, "has no column 'e'"),
        ("a,b\n1,2\n3\n", {}, "line 3: 1 cells for 2 columns"),
        ('a,b\n"x\ny",2\n3,4,5\n', {}, "line 4: 3 cells for 2 columns"),
        ("a\n1\n?\n", {"dtypes": {"a": "int32"}}, "line 3: '?' in column 'a' is no int32"),
        ("a\n1\n\n4000000000\n", {"dtypes": {"a": "int32"}}, "line 4: '4000000000' in column"),
        ("a\nmaybe\n", {"dtypes": {"a": "bool"}}, "line 2: 'maybe' in column 'a' is no bool"),
        ("a\n1\n", {"dtypes": {"a": "int8"}}, "dtypes['a']='int8' must be one of"),
        ("a,a\n1,2\n", {}, "several columns 'a'"),
        ("a,b\nx,2\n", {"as_vector": True}, "column 'a' of the file has texts, such as 'x'"),
        ("a\n1\n", {"as_vector": True, "label": "a"}, "as_vector needs a column"),
        ("", {}, "has no row"),
    ],
)
def test_invalid_input(text, options, message):
    with pytest.raises(CoreError) as found:
        from_csv(StringIO(text), **options)
    assert message in str(found.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(CoreError, match="there is no file"):
        from_csv(tmp_path / "no.csv")
    with pytest.raises(CoreError, match="there is no file"):
        list(text_lines(tmp_path / "no.txt"))


def test_lines(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes("eins\r\nzwei\n\nüber".encode())
    dataset = text_lines(path)
    assert dataset.to_list() == dataset.to_list() == ["eins", "zwei", "", "über"]


def test_files_that_are_no_text_or_no_table_are_named(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"a,b\n\xff,1\n")
    for read in (from_csv, lambda path: text_lines(path).to_list()):
        with pytest.raises(CoreError, match=r"table\.csv is no text in UTF-8 \("):
            read(path)
    path.write_bytes(b"a,b\n" + b"x" * 200_000 + b",1\n")
    with pytest.raises(CoreError, match=r"table\.csv is no table in UTF-8 \(field larger"):
        from_csv(path)
