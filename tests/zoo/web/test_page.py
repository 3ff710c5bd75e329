"""The page of an app as HTML."""

import pytest

import zoo
from zoo.web import App
from zoo.web.page import own_file, page_of


def app_of(folder, **files):
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return App("Mine & <yours>", folder=folder, texts={"hint": "a < b", "long_hint": "c"})


def test_texts_are_filled_in_and_escaped(tmp_path):
    page = page_of(app_of(tmp_path, page_html='<p id="mine">{hint}, {long_hint}</p>'))
    assert '<p id="mine">a &lt; b, c</p>' in page
    assert "<title>Mine &amp; &lt;yours&gt;</title>" in page and "$" not in page
    assert "page.css" not in page and "page.js" not in page


def test_a_text_that_is_missing_is_named(tmp_path):
    with pytest.raises(zoo.ZooError, match=r"page.html has \{hnit\}, which the app's texts do not"):
        page_of(app_of(tmp_path, page_html="{hnit}"))


def test_ids_of_the_page_itself_are_refused(tmp_path):
    with pytest.raises(zoo.ZooError, match=r"page.html: the page has an id='notice' of its own"):
        page_of(app_of(tmp_path, page_html='<p id="notice"></p>'))


def test_files_beside_the_page_are_named_there(tmp_path):
    app = app_of(tmp_path, page_css="", page_js="", notes_txt="", app_py="", key_json="")
    page = page_of(app)
    assert 'href="app/page.css"' in page and 'src="app/page.js"' in page
    assert own_file(app, "page.js") == tmp_path / "page.js"
    for name in ("notes.txt", "app.py", "key.json", "a.js"):  # not open, or not there
        assert own_file(app, name) is None
