"""Every kind of image that may be given, and every way in which it may be bad."""

import base64
import functools
import io
import os
import pickle
import pydoc
import struct
import subprocess
import sys
import threading
import traceback
import types
import zipfile
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from PIL import Image

import core
import zoo
from tests.helpers import PATIENCE, ROOT
from weights_cache.common.errors import ZooError
from zoo.images import fetching, files, header_limits
from zoo.images.errors import convert_reader_errors
from zoo.images.reading import ImageError, read_first_frame, read_image

GREY = np.arange(256, dtype=np.uint8).reshape(16, 16)
MARKED = np.array([[[255, 0, 0], [0, 255, 0], [0, 0, 255]], [[9, 9, 9], [99, 99, 99], [0] * 3]])
# What a camera held another way stored for MARKED, by EXIF orientation (EXIF 2.3, 4.6.4 A).
STORED = {
    1: MARKED,
    2: MARKED[:, ::-1],
    3: MARKED[::-1, ::-1],
    4: MARKED[::-1],
    5: MARKED.transpose(1, 0, 2),
    6: np.rot90(MARKED),
    7: np.rot90(MARKED, 2).transpose(1, 0, 2),
    8: np.rot90(MARKED, -1),
}


def encode(image: Image.Image, kind: str, **options) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def with_orientation(tag: int, kind: str) -> bytes:
    exif = Image.Exif()
    exif[274] = tag
    lossless = {"lossless": True} if kind == "WEBP" else {}
    stored = Image.fromarray(np.ascontiguousarray(STORED.get(tag, MARKED), dtype=np.uint8))
    return encode(stored, kind, exif=exif, **lossless)


def png_of_size(width: int, height: int) -> bytes:
    """Return a PNG whose header promises more pixels than its data holds."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(1000))
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


@pytest.fixture
def photo(rng) -> np.ndarray:
    return rng.integers(0, 256, (40, 50, 3), dtype=np.uint8)


@pytest.fixture
def jpeg(photo) -> bytes:
    return encode(Image.fromarray(photo), "JPEG", quality=90)


@pytest.fixture
def decoded(jpeg) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(jpeg)))


def refused(source: object, **options) -> ImageError:
    with pytest.raises(ImageError) as caught:
        read_image(source, **options)
    assert isinstance(caught.value, ZooError)
    return caught.value


def test_jpeg_file_has_exactly_pillows_pixels(tmp_path, jpeg, decoded):
    path = tmp_path / "photo.jpg"
    path.write_bytes(jpeg)
    for source in (path, str(path)):
        pixels = read_image(source)
        assert pixels.dtype == np.uint8
        assert pixels.flags.c_contiguous
        np.testing.assert_array_equal(pixels, decoded)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_encoded_bytes(jpeg, decoded, kind):
    np.testing.assert_array_equal(read_image(kind(jpeg)), decoded)


def test_file_object_is_read_from_its_position_and_left_open(jpeg, decoded):
    file = io.BytesIO(b"header" + jpeg)
    file.seek(6)
    np.testing.assert_array_equal(read_image(file), decoded)
    assert not file.closed
    assert "seek(0)" in str(refused(file))


def test_pil_image_that_is_not_decoded_yet(jpeg, decoded):
    np.testing.assert_array_equal(read_image(Image.open(io.BytesIO(jpeg))), decoded)


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP", "TIFF", "PPM", "TGA"])
def test_lossless_files_whatever_they_are_called(tmp_path, kind):
    path = tmp_path / "misnamed.jpg"
    path.write_bytes(encode(Image.fromarray(MARKED.astype(np.uint8)), kind))
    np.testing.assert_array_equal(read_image(path), MARKED)


def test_array_of_the_returned_form_is_not_copied(photo):
    assert np.shares_memory(read_image(photo), photo)


@pytest.mark.parametrize("view", [np.s_[..., ::-1], np.s_[::2], np.s_[:, ::-1]])
def test_array_views_become_contiguous(photo, view):
    pixels = read_image(photo[view])
    assert pixels.flags.c_contiguous
    np.testing.assert_array_equal(pixels, photo[view])


def test_tensors_of_any_library(photo):
    class Tensor:
        shape, dtype = photo.shape, "float32"

        def numpy(self):
            return (photo / 255).astype(np.float32)

    class Convertible:
        def __array__(self, dtype=None, copy=None):
            return photo

    np.testing.assert_array_equal(read_image(Tensor()), photo)
    np.testing.assert_array_equal(read_image(Convertible()), photo)


def test_arrays_that_are_not_one_picture():
    assert "float32 of shape ()" in str(refused(np.float32(0.5)))
    assert "list(array)" in str(refused(np.zeros((1, 7, 8, 3), np.uint8)))


def test_tensor_that_cannot_be_read():
    class OnOtherDevice:
        def numpy(self):
            raise RuntimeError("copy it to the host first")

    error = refused(OnOtherDevice())
    assert "OnOtherDevice" in str(error) and "copy it to the host first" in str(error)
    assert isinstance(error.__cause__, RuntimeError)


@pytest.mark.parametrize(("package", "source"), [("PIL", "a.jpg"), ("requests", "http://a/b")])
def test_missing_packages_are_named(monkeypatch, package, source):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "weights_cache.sessions", raising=False)
    with pytest.raises(ZooError, match=f"needs the package '{package}'.*pip install {package}"):
        read_image(source)


def test_reading_an_array_imports_no_decoder():
    code = (
        "import sys, numpy as np; from zoo.images.reading import read_image;"
        "read_image(np.zeros((2, 2)));"
        "assert not {'PIL', 'requests'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, timeout=PATIENCE)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "WEBP"])
@pytest.mark.parametrize("tag", range(1, 9))
def test_orientation(tag, kind):
    data = with_orientation(tag, kind)
    np.testing.assert_array_equal(read_image(data), MARKED)
    np.testing.assert_array_equal(read_image(Image.open(io.BytesIO(data))), MARKED)


@pytest.mark.parametrize("tag", range(1, 9))
def test_orientation_of_a_jpeg(tag):
    blocks = np.kron(STORED[tag], np.ones((8, 8, 1))).astype(np.uint8)
    exif = Image.Exif()
    exif[274] = tag
    data = encode(Image.fromarray(blocks), "JPEG", exif=exif, quality=100, subsampling=0)
    pixels = read_image(data)[4::8, 4::8]
    np.testing.assert_allclose(pixels, MARKED, atol=4)


@pytest.mark.parametrize("tag", [0, 9, 65535])
def test_unknown_orientation_is_ignored(tag):
    np.testing.assert_array_equal(read_image(with_orientation(tag, "PNG")), MARKED)


@pytest.mark.parametrize("exif", [b"Exif\0\0rubbish", b"Exif\0\0II*\0\x08\0\0\0\xff\xff"])
def test_damaged_exif_is_ignored(jpeg, photo, exif):
    data = encode(Image.fromarray(photo), "JPEG", quality=90, exif=exif)
    np.testing.assert_array_equal(read_image(data), read_image(jpeg))


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBX", "CMYK", "YCbCr", "HSV"])
def test_opaque_modes_are_converted_as_pillow_does(photo, mode):
    image = Image.fromarray(photo).convert(mode)
    np.testing.assert_array_equal(read_image(image), np.asarray(image.convert("RGB")))


@pytest.mark.parametrize("mode", ["L", "P", "RGB"])
def test_transparent_modes_are_shown_over_white(mode):
    image = Image.new(mode, (3, 1), "black")
    image.putalpha(Image.fromarray(np.array([[0, 128, 255]], np.uint8)))
    assert image.mode in ("LA", "PA", "RGBA")
    np.testing.assert_array_equal(read_image(image)[0, :, 0], [255, 127, 0])
    premultiplied = image.convert("RGBA").convert("RGBa")
    np.testing.assert_array_equal(read_image(premultiplied)[0, :, 0], [255, 127, 0])


def test_transparent_palette_entry_is_shown_over_white():
    image = Image.new("P", (2, 1))
    image.putpalette([0, 0, 0, 10, 20, 30])
    image.putpixel((1, 0), 1)
    for kind in ("PNG", "GIF"):
        pixels = read_image(encode(image, kind, transparency=0))
        np.testing.assert_array_equal(pixels, [[[255, 255, 255], [10, 20, 30]]])


def test_opaque_rgba_keeps_its_colours(photo):
    image = Image.fromarray(photo).convert("RGBA")
    np.testing.assert_array_equal(read_image(image), photo)


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM"])
def test_sixteen_bit_grey_is_scaled(kind):
    values = np.array([[0, 128, 129, 257, 32768, 65534, 65535]], dtype=np.uint16)
    if kind == "PPM":  # written by hand: old versions of Pillow only read it
        data = b"P5 7 1 65535\n" + values.astype(">u2").tobytes()
    else:
        data = encode(Image.fromarray(values), kind)
    pixels = read_image(data)
    np.testing.assert_array_equal(pixels[0, :, 1], [0, 0, 1, 1, 128, 255, 255])


@pytest.mark.parametrize("order", ["<u2", ">u2"])
def test_sixteen_bit_pil_images_of_both_byte_orders(order):
    values = (GREY.astype(np.uint32) * 257).astype(order)
    mode = "I;16" if order == "<u2" else "I;16B"
    image = Image.frombytes(mode, (16, 16), values.tobytes())
    np.testing.assert_array_equal(read_image(image)[..., 0], GREY)


def test_deep_pil_images_follow_the_rules_of_arrays():
    whole, real = Image.fromarray(GREY.astype(np.int32)), Image.fromarray(np.float32(GREY / 255))
    assert (whole.mode, real.mode) == ("I", "F")
    np.testing.assert_array_equal(read_image(whole)[..., 0], GREY)
    np.testing.assert_array_equal(read_image(real)[..., 0], GREY)
    assert "0..255" in str(refused(Image.new("I", (2, 2), 70000)))
    assert "0..1" in str(refused(Image.new("F", (2, 2), 255.0)))


def test_mode_without_a_conversion_is_refused():
    assert "La" in str(refused(Image.new("La", (2, 2))))


def animation(kind: str) -> bytes:
    frames = [Image.new("RGB", (4, 3), colour) for colour in ("red", "blue", "lime")]
    lossless = {"lossless": True} if kind == "WEBP" else {}
    return encode(frames[0], kind, save_all=True, append_images=frames[1:], **lossless)


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "TIFF"])
def test_first_frame_of_an_animation(kind):
    data = animation(kind)
    assert (read_image(data) == [255, 0, 0]).all()
    pixels, frames = read_first_frame(data)
    assert (pixels == [255, 0, 0]).all() and frames == 3


def test_images_of_one_frame(jpeg):
    assert read_first_frame(jpeg)[1] == 1
    assert read_first_frame(encode(Image.fromarray(GREY), "PNG"))[1] == 1
    two = [Image.fromarray(GREY), Image.fromarray(GREY)]
    phone = encode(two[0], "MPO", save_all=True, append_images=two[1:])  # with a preview
    assert read_first_frame(phone)[1] == 1


def test_frames_that_cannot_be_counted(monkeypatch):
    damaged = functools.partial(struct.unpack, "<I")  # raises an error, whatever it is given
    data = animation("GIF")
    monkeypatch.setattr("PIL.GifImagePlugin.GifImageFile.n_frames", property(damaged))
    assert read_first_frame(data)[1] == 1


def test_missing_file(tmp_path, monkeypatch):
    (tmp_path / "photos").mkdir()
    monkeypatch.chdir(tmp_path)
    advice = "check the name and the folder"
    for path, words in {
        "dancer.jpg": f"there is no file 'dancer.jpg' in {tmp_path}: {advice}",
        f"{tmp_path}/a/b.jpg": f"there is no file '{tmp_path}/a/b.jpg': {advice}",
        "new/": f"there is no folder 'new/' in {tmp_path}: {advice}",
    }.items():
        assert str(refused(path)) == words
    assert "missing.jpg" in str(refused(tmp_path / "missing.jpg"))


def test_missing_file_is_one_exception():
    error = refused("missing.jpg")
    assert error.__cause__ is None and error.__suppress_context__
    shown = "".join(traceback.format_exception(error))
    assert shown.count("Traceback") == 1 and "\nzoo.ImageError: there is no file" in shown
    assert traceback.extract_tb(error.__traceback__)[-1].name == "read_image"  # no inner steps


def test_a_file_of_a_similar_name_is_named(tmp_path, monkeypatch):
    (tmp_path / "Dancer.JPG").touch()
    (tmp_path / "cat.jpg").touch()
    monkeypatch.chdir(tmp_path.parent)
    name = os.path.join(tmp_path.name, "Dancer.JPG")
    for path in ("dancer.jpg", "Dance.JPG", "dancer.jpeg"):
        message = str(refused(os.path.join(tmp_path.name, path)))
        assert message.endswith(f"did you mean {name!r}?")
    assert "did you mean" not in str(refused(tmp_path / "holidays.png"))


@pytest.mark.parametrize("camera", ["0", "12", "webcam"])
def test_cameras_are_not_files(camera):
    message = str(refused(camera))
    assert "zoo.watch(0, TASK)" in message and "order='bgr'" in message


def test_patterns_are_for_lists():
    assert "pass the list, sorted(glob.glob('photos/*.jpg'))" in str(refused("photos/*.jpg"))


@pytest.mark.parametrize("error", [zoo.ZooError, zoo.WeightsError, zoo.ImageError])
def test_public_errors_are_found_where_they_say(error):
    assert f"{error.__module__}.{error.__name__}" == f"zoo.{error.__name__}"
    back = pickle.loads(pickle.dumps(error("words")))
    assert type(back) is error and str(back) == "words"
    assert "class " in pydoc.render_doc(error)


def test_file_inside_a_file(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"x")
    assert "there is no file" in str(refused(tmp_path / "a.jpg" / "b.jpg"))


def test_folder(tmp_path):
    message = str(refused(tmp_path))
    assert "is a folder" in message and f"sorted(Path('{tmp_path}').glob('*.jpg'))" in message


def test_text_renamed_to_jpg(tmp_path):
    path = tmp_path / "notes.jpg"
    path.write_text("not an image")
    error = refused(path)
    assert "notes.jpg" in str(error) and "save it as JPEG or PNG" in str(error)
    assert error.__context__ is None


@pytest.mark.parametrize("name", ["film.mp4", "film.MOV", "film.avi", "film.webm", "film.mkv"])
def test_videos_by_name(tmp_path, name):
    (tmp_path / name).write_bytes(b"whatever is in it")
    message = str(refused(tmp_path / name))
    assert "is a video" in message and "zoo.watch(VIDEO" in message and "JPEG" not in message


@pytest.mark.parametrize(
    "head", [b"\0\0\0 ftypisom", b"\0\0\0\x14ftypqt  ", b"\x1a\x45\xdf\xa3", b"RIFF\0\0\0\0AVI "]
)
def test_videos_by_their_first_bytes(head):
    assert "is a video" in str(refused(head + bytes(100)))


def test_raw_images_of_the_family_of_mp4_are_no_videos():
    assert "is not an image" in str(refused(b"\0\0\0\x18ftypcrx " + bytes(100)))


HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"


@pytest.fixture
def heif_unknown():
    """What was added to Pillow is taken back."""
    files._add_heif_to_pillow.cache_clear()
    Image.init()
    known = list(Image.ID), dict(Image.OPEN)
    yield
    Image.ID[:] = known[0]
    Image.OPEN.clear()
    Image.OPEN.update(known[1])
    files._add_heif_to_pillow.cache_clear()


def test_heic_without_its_package(monkeypatch, heif_unknown, tmp_path):
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    (tmp_path / "IMG_1.HEIC").write_bytes(HEIC)
    for source in (tmp_path / "IMG_1.HEIC", HEIC, io.BytesIO(HEIC)):
        error = refused(source)
        assert "`pip install pillow-heif`" in str(error) and error.__cause__ is None


def test_heic_through_its_package(monkeypatch, heif_unknown, tmp_path):
    """Pillow learns the format once, and only when a file needs it."""
    calls = []

    def open_heic(file, name):
        return Image.fromarray(MARKED.astype(np.uint8))

    def register_heif_opener():
        calls.append(1)
        Image.register_open("HEIF", open_heic, lambda head: head[4:12] == b"ftypheic")

    package = types.SimpleNamespace(register_heif_opener=register_heif_opener)
    monkeypatch.setitem(sys.modules, "pillow_heif", package)
    refused(b"no image at all")
    assert calls == []
    (tmp_path / "misnamed.jpg").write_bytes(HEIC)
    for source in (tmp_path / "misnamed.jpg", HEIC, io.BytesIO(HEIC)):
        np.testing.assert_array_equal(read_image(source), MARKED)
    assert calls == [1]


def test_damaged_heic(monkeypatch, heif_unknown):
    """The package is there and does not know the file either."""
    package = types.SimpleNamespace(register_heif_opener=lambda: None)
    monkeypatch.setitem(sys.modules, "pillow_heif", package)
    assert "cannot be read" in str(refused(HEIC))


def test_channels_in_the_order_of_opencv(photo):
    class Tensor:
        def numpy(self):
            return photo[..., ::-1]

    class Frame:
        def __array__(self, dtype=None, copy=None):
            return np.dstack([photo[..., ::-1], photo[..., :1]])  # BGRA

    for frame in (photo[..., ::-1], photo[..., ::-1].copy(), Tensor(), Frame()):
        pixels = read_image(frame, order="bgr")
        np.testing.assert_array_equal(pixels, photo)
        assert pixels.flags.c_contiguous
    np.testing.assert_array_equal(read_image(photo[..., 0], order="bgr")[..., 2], photo[..., 0])
    assert np.shares_memory(read_image(photo, order="rgb"), photo)


def test_wrong_orders(photo, jpeg, tmp_path):
    for order in ("BGR", "gbr", None):
        message = str(refused(photo, order=order))
        assert f"order={order!r}" in message and "'rgb', 'bgr'" in message
    (tmp_path / "photo.jpg").write_bytes(jpeg)
    for source in (tmp_path / "photo.jpg", jpeg, io.BytesIO(jpeg), Image.fromarray(photo)):
        assert "order='bgr' is for arrays" in str(refused(source, order="bgr"))


def test_empty_file_and_empty_bytes(tmp_path):
    (tmp_path / "empty.jpg").touch()
    assert "empty.jpg" in str(refused(tmp_path / "empty.jpg"))
    for source in (tmp_path / "empty.jpg", b"", bytearray(), memoryview(b"")):
        assert "0 bytes" in str(refused(source))


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9, 0.995])
def test_truncated_jpeg(tmp_path, jpeg, kept):
    path = tmp_path / "half.jpg"
    path.write_bytes(jpeg[: int(len(jpeg) * kept)])
    error = refused(path)
    assert "half.jpg" in str(error) and "truncated" in str(error).lower()
    assert isinstance(error.__cause__, OSError)


@pytest.mark.parametrize("kind", ["PNG", "GIF", "BMP", "TIFF", "WEBP"])
def test_truncated_files_of_other_kinds(photo, kind):
    data = encode(Image.fromarray(photo), kind)
    refused(data[: len(data) // 2])


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "TIFF", "WEBP"])
def test_damaged_bytes_raise_nothing_but_image_error(rng, photo, kind):
    data = np.frombuffer(encode(Image.fromarray(photo), kind), np.uint8)
    outcomes = set()
    for _ in range(60):
        damaged = data.copy()
        damaged[rng.integers(0, min(300, len(data)), 4)] = rng.integers(0, 256, 4)
        try:
            outcomes.add(read_image(damaged.tobytes()).dtype == np.uint8)
        except ImageError:
            outcomes.add("refused")
    assert "refused" in outcomes and False not in outcomes


def test_postscript_is_not_run():
    data = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n%%EndComments\nshowpage\n"
    assert "PostScript" in str(refused(data))


@pytest.mark.parametrize(
    ("width", "height", "memory"),
    [(30_000, 30_000, "7,200 MB"), (14_000, 9_000, "1,008 MB"), (1, 100_000_001, "2,400 MB")],
)
def test_too_many_pixels_are_refused_without_decoding(tmp_path, width, height, memory):
    limit = Image.MAX_IMAGE_PIXELS
    path = tmp_path / "huge.png"
    path.write_bytes(png_of_size(width, height))
    message = str(refused(path))
    assert "huge.png" in message and f"{width} x {height} pixels take {memory}" in message
    assert "the limit is 900 MB" in message and "core.limits(file_bytes=" in message
    assert limit == Image.MAX_IMAGE_PIXELS


def test_limit_of_memory_is_that_of_the_context(jpeg, decoded):
    needed = 40 * 50 * 8 + 40 * 16
    with core.limits(file_bytes=needed):
        np.testing.assert_array_equal(read_image(jpeg), decoded)
    with core.limits(file_bytes=needed - 1):
        message = str(refused(jpeg))
    raised = float(message.rpartition("file_bytes=")[2].rstrip(")`"))
    with core.limits(file_bytes=raised):  # as the message advises
        np.testing.assert_array_equal(read_image(jpeg), decoded)
    with core.limits(core.Limits.strict()):
        assert "268 MB" in str(refused(png_of_size(6_000, 6_000)))


def test_pillows_warning_from_89_megapixels_on_is_not_heard(monkeypatch, jpeg, decoded):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1500)  # the image has 2000
    np.testing.assert_array_equal(read_image(jpeg), decoded)


def test_limit_holds_for_pil_images_too(monkeypatch):
    monkeypatch.setattr(header_limits, "MAX_BYTES", 10 * 10 * 8)
    assert "10 x 10 pixels" in str(refused(Image.new("RGB", (10, 10))))


@pytest.mark.parametrize("tag", range(1, 9))
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "LA", "P", "I;16", "I", "F", "1", "CMYK"])
def test_large_images_are_converted_in_blocks_to_the_same_pixels(monkeypatch, rng, mode, tag):
    image = _image_of_mode(mode, rng)
    image.getexif()[274] = tag
    whole = read_image(image)
    monkeypatch.setattr(files, "_PIXELS_AT_ONCE", 1)
    for pixels_of_a_block in (7, 100, 10_000):
        monkeypatch.setattr(files, "_PIXELS_OF_A_BLOCK", pixels_of_a_block)
        np.testing.assert_array_equal(read_image(image), whole)


def _image_of_mode(mode: str, rng: np.random.Generator) -> Image.Image:
    if mode in ("I;16", "I", "F"):
        dtype, most = {"I;16": ("u2", 65535), "I": ("i4", 255), "F": ("f4", 1)}[mode]
        return Image.fromarray((rng.random((31, 23)) * most).astype(dtype))
    values = rng.integers(0, 256, (31, 23, 4), dtype=np.uint8)
    image = Image.fromarray(values)
    if mode != "P":
        return image.convert(mode)
    indexed = image.convert("RGB").quantize(16)
    indexed.info["transparency"] = 3
    return indexed


def test_range_of_a_large_image_is_that_of_the_whole(monkeypatch):
    values = np.zeros((20, 20), np.float32)
    values[3, 4], values[19, 19] = -1, 1
    image = Image.fromarray(values)
    whole = str(refused(image))
    monkeypatch.setattr(files, "_PIXELS_AT_ONCE", 1)
    monkeypatch.setattr(files, "_PIXELS_OF_A_BLOCK", 40)
    assert str(refused(image)) == whole and "-1..1" in whole


def test_no_pixels_and_one_pixel():
    assert "0 x 5" in str(refused(Image.new("RGB", (0, 5))))
    refused(png_of_size(0, 5))
    for kind in ("PNG", "JPEG", "GIF"):
        assert read_image(encode(Image.new("RGB", (1, 1), "white"), kind)).tolist() == [[[255] * 3]]


@pytest.mark.parametrize("source", [3, 0.5, None, {}, [], [[1, 2]], object(), {"url": "x"}])
def test_what_is_no_picture_at_all(source):
    message = str(refused(source))
    assert type(source).__name__ in message and "pass a path" in message


@pytest.mark.parametrize("several", [list, tuple])
def test_several_images_where_one_is_taken_are_counted_not_shown(several):
    images = several([np.zeros((4, 4, 3), np.uint8)] * 2)
    expected = rf"^a {several.__name__} of 2, where one image is taken, is not an image: pass a"
    for use in (read_image, lambda image: zoo.draw(image, [])):
        with pytest.raises(ImageError, match=expected):
            use(images)


def test_odd_paths_are_refused():
    for path in ("", "a\0b", "x" * 5000, "data:image/png;base64,AAAA"):
        assert len(str(refused(path))) < 500


def test_file_objects_that_do_not_give_bytes(tmp_path):
    (tmp_path / "photo.txt").write_text("hello")
    with open(tmp_path / "photo.txt") as file:
        message = str(refused(file))
    assert "photo.txt" in message and "open(path, 'rb')" in message
    closed = io.BytesIO(b"x")
    closed.close()
    assert "closed" in str(refused(closed))


class _Site(BaseHTTPRequestHandler):
    """Pages by path; a page is (status, headers, body)."""

    pages: dict[str, tuple[int, dict[str, str], bytes]] = {}
    seen: list[tuple[str, str | None]] = []

    def do_GET(self):
        self.seen.append((self.path, self.headers["Accept-Encoding"]))
        status, headers, body = self.pages[self.path]
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def site(monkeypatch, jpeg):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(_Site, "seen", [])
    html = {"Content-Type": "text/html"}
    pages = {
        "/photo.jpg": (200, {"Content-Type": "image/jpeg"}, jpeg),
        "/moved": (302, {"Location": "/photo.jpg"}, b""),
        "/loop": (302, {"Location": "/loop"}, b""),
        "/gone.jpg": (404, html, b"no such page"),
        "/empty.jpg": (200, {}, b""),
        "/page.jpg": (200, html, b"<!DOCTYPE html><title>Sign in</title>"),
        "/cut.jpg": (200, {"Content-Length": str(len(jpeg) + 9)}, jpeg),
    }
    monkeypatch.setattr(_Site, "pages", pages)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield address
    server.shutdown()
    server.server_close()
    thread.join()


def test_url(site, decoded):
    np.testing.assert_array_equal(read_image(f"{site}/photo.jpg"), decoded)
    assert _Site.seen == [("/photo.jpg", "identity")]
    np.testing.assert_array_equal(read_image(f"{site}/moved".replace("http", "HTTP")), decoded)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("/gone.jpg", ["status 404", "check the address"]),
        ("/loop", ["redirects"]),
        ("/empty.jpg", ["0 bytes"]),
        ("/page.jpg", ["text/html", "not an image"]),
        ("/cut.jpg", ["cannot be fetched"]),
    ],
)
def test_bad_urls(site, page, words):
    message = str(refused(site + page))
    assert all(word in message for word in [page, *words]), message


def test_url_that_is_too_large(site, monkeypatch):
    monkeypatch.setattr(fetching, "MAX_DOWNLOAD", 1000)
    assert "larger than 1,000 bytes" in str(refused(f"{site}/photo.jpg"))


def test_url_of_a_server_that_is_not_there(site):
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as closed:
        port = closed.server_port
    error = refused(f"http://127.0.0.1:{port}/photo.jpg")
    assert "cannot be fetched" in str(error) and error.__cause__ is not None


def test_urls_that_hold_the_image(jpeg, decoded):
    text = base64.b64encode(jpeg).decode()
    for head in ("data:image/jpeg;base64,", "DATA:;base64,"):
        np.testing.assert_array_equal(read_image(head + text), decoded)
    quoted = "data:image/jpeg," + "".join(f"%{byte:02x}" for byte in jpeg)
    np.testing.assert_array_equal(read_image(quoted), decoded)
    assert "not valid base64" in str(refused(f"data:image/jpeg;base64,{text[:-3]}"))
    assert "0 bytes" in str(refused("data:,"))


def test_urls_of_files(tmp_path, jpeg, decoded):
    path = tmp_path / "my photo.jpg"
    path.write_bytes(jpeg)
    for url in (path.as_uri(), path.as_uri().replace("///", "//localhost/")):
        np.testing.assert_array_equal(read_image(url), decoded)
    assert f"no file '{tmp_path}/your.jpg'" in str(refused((tmp_path / "your.jpg").as_uri()))
    message = str(refused("file://photos/cat.jpg"))
    assert "'photos'" in message and "file:///" in message


@pytest.mark.parametrize(
    "url, advice",
    [
        ("ftp://a.b/cat.jpg", "download it and pass its path"),
        ("s3://bucket/cat.jpg", "download it and pass its path"),
        ("rtsp://camera/1", "zoo watch VIDEO"),
    ],
)
def test_urls_that_are_not_read(url, advice):
    message = str(refused(url))
    assert url in message and "http, https, file and data" in message and advice in message


@pytest.mark.parametrize("url", ["http://", "http://[::1", "https://.x/"])
def test_malformed_urls(url):
    assert url in str(refused(url))


def test_offline_switch_sends_nothing(site, monkeypatch):
    monkeypatch.setenv("ZOO_OFFLINE", "1")
    assert "ZOO_OFFLINE" in str(refused(f"{site}/photo.jpg"))
    assert _Site.seen == []


def test_reference_photos_are_read_as_pillow_reads_them(shared):
    for name in ("pose.jpg", "coral_posenet_test_image.bmp", "portrait_segmentation.png"):
        path = shared / "images" / "reference" / name
        with Image.open(path) as image:
            np.testing.assert_array_equal(read_image(path), np.asarray(image.convert("RGB")))


def test_errors_of_readers_that_quote_an_image_are_short():
    with (
        zipfile.ZipFile(io.BytesIO(), "w") as archive,
        pytest.raises(ImageError, match="'a.png' cannot be read") as caught,
        convert_reader_errors("'a.png'"),
    ):
        archive.getinfo("x" * 10_000)
    assert len(str(caught.value)) < 500
