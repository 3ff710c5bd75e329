"""The smallest page of ``zoo/docs/web.md`` answers frames."""

import re

from tests.helpers import ROOT
from tests.zoo.web.servers import frame, hear, running


def test_the_smallest_page(shared, monkeypatch):
    monkeypatch.setenv("ZOO_WEIGHTS_MIRROR", str(shared / "weights"))
    text = (ROOT / "zoo" / "docs" / "web.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"<!-- page app -->\n```python\n(.*?)```", text, re.DOTALL)
    names = {"__name__": "page"}
    exec(code, names)
    hands = (shared / "images" / "photos" / "two_hands.jpg").read_bytes()
    with running(names["app"]) as server, server.connect() as page:
        page.send(frame(1, hands))
        answer = hear(page, "result", "error")
        assert answer["type"] == "result", answer
        assert [len(hand["keypoints"]) for hand in answer["result"]] == [21, 21]
