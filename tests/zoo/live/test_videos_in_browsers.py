"""Videos that commands write, in the <video> of headless Chromium."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from tests.gallery.browser import empty_page
from tests.helpers import require_opencv
from tests.zoo.live.ffmpeg_program import put_on_path, take_from_path
from zoo.cli import main
from zoo.live.video_file import VideoFile

require_opencv()

#: Plays a second, then shows the frame at 1.5 s, and returns its pixels.
PLAY = """async (url) => {
  const video = document.createElement("video");
  const next = (name) => new Promise((resolve, reject) => {
    video.addEventListener(name, resolve, {once: true});
    video.addEventListener("error", () => reject(new Error(video.error.message)), {once: true});
  });
  video.muted = true;
  const loaded = next("loadeddata");
  video.src = url;
  await loaded;
  const moved = next("timeupdate");
  await video.play();
  await moved;
  while (video.currentTime < 0.2) await next("timeupdate");
  video.pause();
  const sought = next("seeked");
  const played = video.currentTime;
  video.currentTime = 1.55;
  await sought;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext("2d").drawImage(video, 0, 0);
  return {ready: video.readyState, duration: video.duration, played,
          pixels: canvas.toDataURL("image/png")};
}"""


@pytest.fixture(scope="module")
def page():
    with empty_page() as page:
        yield page


@pytest.fixture
def film(tmp_path):
    """Two seconds: grey, brighter with time, beside a red field."""
    path = tmp_path / "film.avi"
    with VideoFile(path, 10) as video:
        for index in range(20):
            frame = np.full((97, 129, 3), 20 + 10 * index, np.uint8)
            frame[:, :64] = (200, 40, 40)
            video.add(frame)
    return path


@pytest.mark.parametrize(
    ("command", "has_ffmpeg"),
    [
        ("effect blur_faces FILM --out out.mp4", True),
        ("effect blur_faces FILM --out out.webm", False),
        ("watch FILM --task estimate_single_pose --draw out.webm", True),
        ("watch FILM --task estimate_single_pose --draw out.mp4", True),
        ("watch FILM --task estimate_single_pose --draw out.webm", False),
    ],
)
def test_written_videos_play(page, film, tmp_path, monkeypatch, command, has_ffmpeg):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("zoo.effects.hidden_faces.detect_faces", lambda *_, **__: [])
    if has_ffmpeg:
        put_on_path(tmp_path / "program", monkeypatch)
    else:
        take_from_path(monkeypatch)
    main(command.replace("FILM", str(film)).split())
    [path] = tmp_path.glob("out.*")
    data = base64.b64encode(path.read_bytes()).decode()
    seen = page.evaluate(PLAY, f"data:video/{path.suffix[1:]};base64,{data}")
    assert seen["ready"] >= 2 and seen["played"] >= 0.2
    assert seen["duration"] == pytest.approx(2.0, abs=0.11)
    shown = io.BytesIO(base64.b64decode(seen["pixels"].partition(",")[2]))
    pixels = np.asarray(Image.open(shown).convert("RGB")).astype(int)
    assert pixels.shape == (98, 130, 3)
    np.testing.assert_allclose(pixels[20:80, 90:120].mean(), 170, atol=8)  # the frame at 1.5 s
    np.testing.assert_allclose(pixels[20:80, 10:50].mean(axis=(0, 1)), (200, 40, 40), atol=14)
