"""Image files made by hand that ask for more memory or time than they should get.

They are written byte by byte: encoders would need the memory that decoders must not take.
"""

import gzip
import io
import struct
import zlib
from collections.abc import Callable

from PIL import Image

Make = Callable[[], bytes]


def encoded(image: Image.Image, kind: str, **options) -> bytes:
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def deflated_zeros(count: int) -> bytes:
    """That many zeros, compressed, without holding them."""
    packer, block = zlib.compressobj(9), bytes(2**20)
    parts = [packer.compress(block) for _ in range(count // len(block))]
    return b"".join(parts) + packer.compress(bytes(count % len(block))) + packer.flush()


def png_chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check


_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def png(width: int, height: int, color: int = 2, *more: bytes, bits: int = 8) -> bytes:
    """A black PNG, whose color type is grey (0), RGB (2), palette (3), LA (4) or RGBA (6)."""
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, 0)
    row = (width * _CHANNELS[color] * bits + 7) // 8 + 1
    body = deflated_zeros(row * height) if row * height < 2**30 else zlib.compress(bytes(1000))
    palette = (png_chunk(b"PLTE", bytes(6)),) if color == 3 else ()
    chunks = (*palette, *more, png_chunk(b"IDAT", body), png_chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + b"".join(chunks)


def webp(width: int, height: int) -> bytes:
    """A lossless WebP of one color, whose five codes have one symbol each, of no bits."""
    bits = (width - 1) | (height - 1) << 14 | 1 << 28  # with alpha
    for code in range(5):
        bits |= 0b0001 << 35 + 4 * code
    data = b"\x2f" + bits.to_bytes(9, "little")
    chunk = b"VP8L" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def tiff(
    width: int, height: int, bits: tuple[int, ...], *, floats: bool = False, rows: int = 0, **tags
) -> bytes:
    """A deflated TIFF, all of whose strips are the same bytes of the file."""
    rows = rows or next(r for r in range(max(1, 2**20 // width), 0, -1) if height % r == 0)
    strip = deflated_zeros(rows * width * sum(bits) // 8)
    count = height // rows
    entries = {
        256: ("I", [width]),
        257: ("I", [height]),
        258: ("H", list(bits)),
        259: ("H", [8]),
        262: ("H", [2 if len(bits) >= 3 else 1]),
        273: ("I", [8] * count),
        277: ("H", [len(bits)]),
        278: ("I", [rows]),
        279: ("I", [len(strip)] * count),
        339: ("H", [3 if floats else 1] * len(bits)),
    }
    if len(bits) in (2, 4):
        entries[338] = ("H", [2])
    entries |= {int(tag[1:]): ("I", value) for tag, value in tags.items()}
    return _tiff_of(strip, entries)


def _tiff_of(strip: bytes, entries: dict[int, tuple[str, list[int]]]) -> bytes:
    strip += bytes(len(strip) % 2)
    directory = 8 + len(strip)
    values = directory + 2 + 12 * len(entries) + 4
    head, tail = struct.pack("<H", len(entries)), b""
    for tag, (kind, numbers) in sorted(entries.items()):
        data = struct.pack(f"<{len(numbers)}{kind}", *numbers)
        if len(data) > 4:
            data, tail = struct.pack("<I", values + len(tail)), tail + data
        head += struct.pack("<HHI", tag, {"H": 3, "I": 4}[kind], len(numbers)) + data.ljust(
            4, b"\0"
        )
    return b"II*\0" + struct.pack("<I", directory) + strip + head + bytes(4) + tail


def jp2(width: int, height: int, mode: str = "RGB") -> bytes:
    """A JPEG 2000 code stream whose header has another size than its data."""
    data = bytearray(encoded(Image.new(mode, (64, 64)), "JPEG2000", no_jp2=True))
    at = data.index(b"\xff\x51") + 6
    struct.pack_into(">II", data, at, width, height)
    struct.pack_into(">II", data, at + 16, width, height)  # of a tile
    return bytes(data)


def icons(inner: bytes) -> bytes:
    return b"\0\0\1\0\1\0" + struct.pack("<BBBBHHII", 16, 16, 0, 0, 1, 32, len(inner), 22) + inner


def bmp_of_icon(width: int, height: int, bits: int) -> bytes:
    return struct.pack("<IiiHHIIiiII", 40, width, 2 * height, 1, bits, 0, 0, 0, 0, 0, 0)


def icns(inner: bytes) -> bytes:
    return (
        b"icns"
        + struct.pack(">I", 16 + len(inner))
        + b"ic10"
        + struct.pack(">I", 8 + len(inner))
        + inner
    )


def jpeg_of_scans(size: int, scans: int, *, progressive: bool = True) -> bytes:
    """A JPEG whose most expensive scan is repeated."""
    data = encoded(Image.new("RGB", (size, size), "white"), "JPEG", progressive=progressive)
    start = data.rindex(b"\xff\xda")
    if not progressive:  # one component of three, without data
        return data[:start] + b"\xff\xda\0\x08\1\1\0\0\x3f\0" * scans + b"\xff\xd9"
    starts = [at for at in range(len(data)) if data[at : at + 2] == b"\xff\xda"]
    scan = data[starts[5] : starts[6]]  # a refinement of the luma
    scan = scan[: scan.index(b"\xff\xc4")] if b"\xff\xc4" in scan else scan
    return data[:-2] + scan * scans + b"\xff\xd9"


def fits(width: int, height: int) -> bytes:
    cards = {"SIMPLE": "T", "BITPIX": "8", "NAXIS": "0", "EXTEND": "T", "END": None}
    table = {
        "XTENSION": "'BINTABLE'",
        "BITPIX": "8",
        "NAXIS": "2",
        "ZIMAGE": "T",
        "ZCMPTYPE": "'GZIP_1  '",
        "ZBITPIX": "8",
        "ZNAXIS": "2",
        "ZNAXIS1": str(width),
        "ZNAXIS2": str(height),
        "PCOUNT": "0",
        "NAXIS1": "8",
        "NAXIS2": "1",
        "END": None,
    }
    text = b""
    for block in (cards, table):
        lines = [k if v is None else f"{k:8}= {v:>20}" for k, v in block.items()]
        text += "".join(line.ljust(80) for line in lines).ljust(2880).encode()
    return text + bytes(8) + gzip.compress(bytes(min(width * height * 4, 2**26)))


def qoi(width: int, height: int) -> bytes:
    runs = b"\xfd" * (width * height // 62 + 1)
    return b"qoif" + struct.pack(">IIBB", width, height, 4, 0) + runs + bytes(7) + b"\1"


def bmp(width: int, height: int, bits: int, packing: int = 0, body: bytes = b"") -> bytes:
    colors = bytes(1024) if bits <= 8 else b""
    header = struct.pack(
        "<IiiHHIIiiII", 40, width, height, 1, bits, packing, len(body), 0, 0, 256, 0
    )
    start = 14 + len(header) + len(colors)
    return struct.pack("<2sIII", b"BM", start + len(body), 0, start) + header + colors + body


def dds(width: int, height: int) -> bytes:
    header = struct.pack("<7I44x", 124, 0x1007, height, width, 0, 0, 0)
    form = struct.pack("<8I", 32, 0x41, 0, 24, 0xFF, 0xFF00, 0xFF0000, 0)
    return b"DDS " + header + form + bytes(20) + bytes(min(width * height * 3, 2**25))


def gif_of_frames(count: int) -> bytes:
    frame = b"\x21\xf9\4\0\0\0\0\0" + b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
    return b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + frame * count + b";"


def gif(width: int, height: int) -> bytes:
    """A GIF whose frame is larger than its canvas says, and that has almost no data."""
    head = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff\x2c" + struct.pack(
        "<HHHH", 0, 0, width, height
    )
    return head + b"\0\2\2\x44\1\0;"


def tiff_of_pages(count: int) -> bytes:
    """A chain of directories, each of which says where the next one is."""
    first = tiff(4, 4, (8,))
    page = struct.pack("<HHHIHHI", 1, 256, 3, 1, 4, 0, 0)
    start = len(first)
    where = struct.unpack_from("<I", first, 4)[0]
    entries = struct.unpack_from("<H", first, where)[0]
    data = bytearray(first)
    struct.pack_into("<I", data, where + 2 + 12 * entries, start)
    chain = [page[:-4] + struct.pack("<I", start + (i + 1) * len(page)) for i in range(count)]
    return bytes(data) + b"".join(chain)


def tiff_of_shared_tags(count: int, size: int) -> bytes:
    """Many entries that all refer to the same many bytes."""
    head = struct.pack("<H", count)
    for tag in range(count):
        head += struct.pack("<HHII", 1000 + tag, 4, size // 4, 8)
    return b"II*\0" + struct.pack("<I", 8 + size) + bytes(size) + head + bytes(4)


def jpeg_of_junk(count: int) -> bytes:
    return b"\xff\xd8\xff" + b"\xff" * count


def ppm_of_comments(count: int) -> bytes:
    return b"P6\n" + b"#\n" * (count // 2) + b"1 1 255 " + bytes(3)


def avif(width: int, height: int, mode: str) -> bytes:
    return encoded(Image.new(mode, (width, height), "red"), "AVIF", speed=10, subsampling="4:4:4")


ZEROS = bytes(60_000_000)

#: What a child process reads and what it costs is measured: quick ones.
BOMBS: dict[str, Make] = {
    "webp 10000": lambda: webp(10_000, 10_000),
    "webp 16383": lambda: webp(16_383, 16_383),
    "webp at the limit": lambda: webp(7_000, 7_000),
    "png narrow": lambda: png(1, 100_000_000, 0),
    "png narrow at the limit": lambda: png(1, 50_000_000, 0),
    "png wide": lambda: png(100_000_000, 1, 2),
    "png 60000": lambda: png(60_000, 60_000),
    "png 2**31 - 1": lambda: png(2**31 - 1, 2**31 - 1),
    "png rgba": lambda: png(10_000, 10_000, 6),
    "png la": lambda: png(10_000, 10_000, 4),
    "png 16 bits": lambda: png(10_000, 10_000, 0, bits=16),
    "png rgba 16 bits": lambda: png(10_000, 10_000, 6, bits=16),
    "png palette transparent": lambda: png(10_000, 10_000, 3, png_chunk(b"tRNS", b"\0")),
    "png rgb transparent": lambda: png(10_000, 10_000, 2, png_chunk(b"tRNS", bytes(6))),
    "png zTXt": lambda: png(9, 9, 2, png_chunk(b"zTXt", b"a\0\0" + deflated_zeros(2**29))),
    "png iTXt": lambda: png(9, 9, 2, png_chunk(b"iTXt", b"a\0\1\0\0\0" + deflated_zeros(2**29))),
    "png iCCP": lambda: png(9, 9, 2, png_chunk(b"iCCP", b"a\0\0" + deflated_zeros(2**29))),
    "ico of png": lambda: icons(png(10_000, 10_000, 6)),
    "ico of png at the limit": lambda: icons(png(6_000, 6_000, 6)),
    "ico of bmp": lambda: icons(bmp_of_icon(10_000, 10_000, 32) + bytes(1000)),
    "ico of bmp with data": lambda: icons(bmp_of_icon(3_600, 3_600, 32) + ZEROS),
    "icns of png": lambda: icns(png(10_000, 10_000, 6)),
    "tiff float32": lambda: tiff(10_000, 10_000, (32,), floats=True),
    "tiff rgba": lambda: tiff(10_000, 10_000, (8,) * 4),
    "tiff rgba 16 bits": lambda: tiff(8_000, 7_000, (16,) * 4),
    "tiff la": lambda: tiff(10_000, 10_000, (8, 8)),
    "tiff 16 bits": lambda: tiff(10_000, 10_000, (16,)),
    "tiff of one strip": lambda: tiff(8_000, 7_000, (16,) * 4, rows=7_000),
    "tiff of a huge tile": lambda: tiff(64, 64, (8,) * 3, t322=[40_000], t323=[40_000]),
    "tiff of shared tags": lambda: tiff_of_shared_tags(4_000, 20_000_000),
    "jpeg 2000": lambda: jp2(10_000, 10_000),
    "jpeg 2000 rgba": lambda: jp2(10_000, 10_000, "RGBA"),
    "jpeg 2000 at the limit": lambda: jp2(5_800, 5_800, "RGBA"),
    "fits": lambda: fits(10_000, 10_000),
    "fits at the limit": lambda: fits(3_000, 3_000),
    "qoi": lambda: qoi(10_000, 10_000),
    "qoi at the limit": lambda: qoi(6_000, 6_000),
    "dds": lambda: dds(10_000, 10_000),
    "bmp 1 bit": lambda: bmp(10_000, 10_000, 1, body=bytes(12_520_000)),
    "bmp rle": lambda: bmp(10_000, 10_000, 8, 1, b"\xff\0" * 400_000),
    "bmp without data": lambda: bmp(10_000, 10_000, 24),
    "gif": lambda: gif(10_000, 10_000),
    "gif of frames": lambda: gif_of_frames(1_000_000),
    "tiff of pages": lambda: tiff_of_pages(1_000_000),
    "jpeg of scans": lambda: jpeg_of_scans(4_000, 1_800),
    "jpeg of large scans": lambda: jpeg_of_scans(8_000, 150),
    "jpeg of scans of a component": lambda: jpeg_of_scans(4_000, 50_000, progressive=False),
    "jpeg of small scans": lambda: jpeg_of_scans(64, 1_000_000),
    "jpeg of junk": lambda: jpeg_of_junk(50_000_000),
    "ppm of comments": lambda: ppm_of_comments(50_000_000),
    "ppm of digits": lambda: b"P3\n3000 3000\n255\n" + b"0 " * 20_000_000,
    "zeros": lambda: ZEROS,
}

#: Which of them take a second or less, to make and to read.
QUICK = {
    "webp 10000",
    "webp 16383",
    "png 60000",
    "png 2**31 - 1",
    "png zTXt",
    "png iCCP",
    "ico of bmp",
    "tiff of a huge tile",
    "jpeg 2000",
    "jpeg 2000 rgba",
    "fits",
    "bmp without data",
    "gif",
    "jpeg of scans",
    "jpeg of large scans",
    "jpeg of scans of a component",
}

#: Words of what they end with, where it is one outcome.
EXPECTED = {
    "webp 10000": "pixels take 1,800 MB",
    "webp at the limit": "of 1",
    "png rgba": "(10000, 10000, 3)",
    "png 16 bits": "(10000, 10000, 3)",
    "ico of png": "is too large",
    "ico of bmp": "is too large",
    "icns of png": "is too large",
    "tiff float32": "(10000, 10000, 3)",
    "tiff of one strip": "(7000, 8000, 3)",
    "tiff of a huge tile": "is too large",
    "jpeg 2000": "is too large",
    "fits": "is too large",
    "fits at the limit": "(3000, 3000, 3)",
    "qoi": "(10000, 10000, 3)",
    "gif of frames": "(1, 1, 3)",
    "jpeg of scans": "scans, the limit",
    "jpeg of large scans": "scans, the limit",
    "jpeg of scans of a component": "scans, the limit",
    "jpeg of small scans": "scans, the limit",
    "jpeg of junk": "takes longer to read than 2 s",
    "ppm of comments": "takes longer to read than 2 s",
}

TRUNCATED = ("JPEG", "WEBP", "TIFF", "BMP", "PPM", "SGI", "PCX", "DDS", "IM", "AVIF", "JPEG2000")

OTHER_FILES = {
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    "eps": b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\nshowpage\n",
    "eps in a preview": b"\xc5\xd0\xd3\xc6" + bytes(60),
    "pickle": b"\x80\x04\x95\x1c\0\0\0\0\0\0\0\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
    "npy": b"\x93NUMPY\x01\0v\0{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n",
    "html": b"<!DOCTYPE html><title>404</title>",
    "zip": b"PK\3\4" + bytes(60),
    "pdf": b"%PDF-1.7\n",
}


def save_largest(kind: str, path) -> None:
    """An image near the limit of a format, in the mode that takes most memory."""
    pixels, mode, options = {
        "JPEG": (112, "RGB", {"subsampling": 0}),
        "PROGRESSIVE": (71, "RGB", {"progressive": True, "subsampling": 0}),
        "CMYK": (71, "CMYK", {"progressive": True, "subsampling": 0}),
        "GIF": (112, "P", {}),
        "AVIF": (44, "RGBA", {"speed": 10, "subsampling": "4:4:4"}),
        "JPEG2000": (34, "RGBA", {"no_jp2": True}),
        "WEBP": (49, "RGBA", {"method": 0}),
    }[kind]
    size = int((pixels * 1e6) ** 0.5)
    tile = Image.effect_noise((256, 256), 60).convert("RGB").convert(mode)
    image = Image.new(mode, (size, size))
    for at in range(0, size - 256, 1024):
        image.paste(tile, (at, at))
    image.save(path, "JPEG" if kind in ("PROGRESSIVE", "CMYK") else kind, **options)
