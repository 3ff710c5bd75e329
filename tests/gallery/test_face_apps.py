"""Background and face paint on clips: what their pages say and draw."""

import numpy as np
import pytest

from tests.gallery.browser import shown
from tests.gallery.clips import astronaut
from tests.helpers import require_opencv
from zoo.web.gallery import load_app

require_opencv()
pytestmark = pytest.mark.usefixtures("weights")


def test_background():
    with shown(load_app("background"), source=astronaut()) as page:
        page.wait_for_frames()
        page.page.select_option("[name=behind]", "night")
        page.wait(lambda: page.pixels()[40:100, 20:80].mean() < 60, "a night sky")
        face = page.pixels()[150:260, 270:370].reshape(-1, 3).mean(axis=0)
        assert face[0] > face[2] + 20  # skin is still there
        page.check_clean()


def test_face_paint():
    with shown(load_app("face_paint"), source=astronaut()) as page:
        page.wait(lambda: page.text("#smiles") == "1", "a smile")
        page.page.select_option("[name=paint]", "glasses")
        before = page.pixels()
        page.page.select_option("[name=paint]", "crown")
        page.wait(lambda: page.data.get("answered"), "frames")
        yellow = np.array([242, 182, 50])
        page.wait(
            lambda: (np.abs(page.pixels().astype(int) - yellow).max(axis=-1) < 12).mean() > 0.005,
            "a crown",
        )
        assert not (np.abs(before.astype(int) - yellow).max(axis=-1) < 12).mean() > 0.005
        page.check_clean()
