"""Videos of strangers: containers, playlists that name other files and addresses, large frames."""

import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import core
import zoo
from tests.helpers import require_opencv
from tests.zoo.live.ffmpeg_program import ffmpeg, pattern, put_on_path
from zoo.images.pixels import ImageError
from zoo.jobs.sources import Listing
from zoo.live.readers import SourceError

require_opencv()

_HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:1.0,\n{}\n#EXT-X-ENDLIST\n"
_BASE = '<SegmentBase indexRange="0-9"/>'
#: Texts that stand for a video, for a file or address.
PLAYLISTS = {
    "concat": "ffconcat version 1.0\nfile {}\n",
    "hls": _HLS,
    "hls of hls": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n{}\n",
    "hls behind a tag": "ID3\3\0\0\0\0\0\0" + _HLS,
    "hls behind a tag like a box": "ID3\3free\0\0" + _HLS,
    "dash": '<?xml version="1.0"?><MPD type="static" mediaPresentationDuration="PT1S" '
    'profiles="urn:mpeg:dash:profile:isoff-on-demand:2011"><Period><AdaptationSet><Representation '
    f'id="0" bandwidth="1"><BaseURL>{{}}</BaseURL>{_BASE}</Representation></AdaptationSet>'
    "</Period></MPD>",
    "sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns={}\nc=IN IP4 127.0.0.1\nt=0 0\n"
    "m=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n",
    "asx": '<asx version="3.0"><entry><ref href="{}"/></entry></asx>',
    "pls": "[playlist]\nFile1={}\nNumberOfEntries=1\n",
    "reference": "[Reference]\nRef1={}\n",
    "rtsp": "RTSPtext\n{}\n",
    "smil": '<smil><body><video src="{}"/></body></smil>',
}


class Server:
    """Serves a folder, and keeps which paths it was asked for."""

    def __init__(self, folder):
        asked = self.asked = []

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                asked.append(self.path)
                super().do_GET()

            def log_message(self, *_):
                pass

        handler = partial(Handler, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture(scope="module")
def canary(tmp_path_factory):
    """A folder with a clip that must not be shown."""
    folder = tmp_path_factory.mktemp("canary")
    pattern(folder / "canary.ts", "-c:v", "mpeg2video", seconds=0.4)
    return folder


@pytest.fixture(scope="module")
def server(canary):
    found = Server(canary)
    yield found
    found.close()


@pytest.mark.parametrize("kind", PLAYLISTS)
def test_what_a_playlist_names_is_not_followed(canary, server, kind):
    for ending in ("mp4", "m3u8", "sdp", "avi"):
        for target in ("canary.ts", f"{canary}/canary.ts", f"{server.url}/canary.ts"):
            path = canary / f"film.{ending}"
            path.write_text(PLAYLISTS[kind].replace("{}", target))
            with pytest.raises(SourceError, match="is no video .* not followed: copy it again"):
                zoo.frames(path)
    assert not server.asked


def test_batch_follows_no_playlist(canary):
    path = canary / "batch.mp4"
    path.write_text(PLAYLISTS["concat"].replace("{}", "canary.ts"))
    listing = Listing(column=None, every=1, recursive=False, report=print)
    with pytest.raises(zoo.ZooError, match="is no video that can be read"):
        list(listing.items([str(path)]))


def test_no_sound_comes_from_what_a_playlist_names(canary, tmp_path, monkeypatch, capfd):
    put_on_path(tmp_path / "bin", monkeypatch)
    ffmpeg("-f", "lavfi", "-i", "sine=duration=0.4", "-c:a", "aac", canary / "sound.ts")
    path = canary / "sound.mp4"
    path.write_text(PLAYLISTS["concat"].replace("{}", "sound.ts"))
    with zoo.VideoFile(tmp_path / "out.mp4", 10, sound=path) as video:
        for _ in range(4):
            video.add(np.zeros((48, 64, 3), np.uint8))
    assert "is not in" in (said := capfd.readouterr().err) and "of no known container" in said


@pytest.mark.skipif(os.name != "posix", reason="names with colons")
def test_a_name_is_not_a_protocol(canary, tmp_path, monkeypatch):
    """FFmpeg would read the file that stands behind the colon."""
    monkeypatch.chdir(tmp_path)
    name = "subfile,,start,0,end,0,,:black.mp4"
    pattern(tmp_path / "black.mp4", "-vf", "lutyuv=y=16:u=128:v=128", seconds=0.4)
    pattern(tmp_path / "white.mp4", "-vf", "lutyuv=y=235:u=128:v=128", seconds=0.4)
    os.rename("white.mp4", name)
    assert next(zoo.frames(name)).image.mean() > 200


def test_the_playlist_of_a_server_names_its_files_and_none_of_this_computer(canary, server):
    """As network cameras and television give them."""
    for name, target in (("own", "canary.ts"), ("ours", f"file://{canary}/canary.ts")):
        (canary / f"{name}.m3u8").write_text(_HLS.format(target))
    with zoo.frames(f"{server.url}/own.m3u8") as source:
        assert next(source).image.std() > 20
    assert "/canary.ts" in server.asked
    with pytest.raises(zoo.ZooError):
        next(zoo.frames(f"{server.url}/ours.m3u8", timeout=5))


_MPEG2 = ("-c:v", "mpeg2video")
#: Names of clips, and how ffmpeg makes them.
CLIPS = {
    **dict.fromkeys(("a.mp4", "a.mov", "a.mkv", "a.avi", "a.m2ts", "a.mxf"), _MPEG2),
    **{"a.mpg": _MPEG2, "a.m2v": _MPEG2, "a.nut": _MPEG2},
    **{
        "a.webm": ("-c:v", "libvpx", "-cpu-used", "8"),
        "a.ivf": ("-c:v", "libvpx"),
        "a.flv": (),
        "a.3gp": ("-c:v", "mpeg4"),
    },
    **{"a.wmv": (), "a.ogv": ("-c:v", "libtheora"), "a.h264": (), "a.y4m": (), "a.mjpeg": ()},
    "a.3gp": ("-c:v", "mpeg4"),
    "a.rm": ("-c:v", "rv10", "-vf", "scale=176:144"),
}


@pytest.mark.parametrize("name", CLIPS)
def test_files_that_hold_their_frames_are_read(tmp_path, name):
    path = pattern(tmp_path / name, *CLIPS[name], "-strict", "-2", seconds=0.4)
    assert next(zoo.frames(path)).image.std() > 20


def test_frames_are_no_larger_than_images(tmp_path):
    """Some black ones of 12,000 x 12,000 pixels in 420 kB took 1.6 GB."""
    path = pattern(tmp_path / "a.mp4", seconds=0.1)
    with (
        core.limits(file_bytes=96 * 64 * 11),
        pytest.raises(ImageError, match=r"a frame of .*a.mp4' is too large: 96 x 64 pixels"),
    ):
        zoo.frames(path)
