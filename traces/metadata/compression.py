"""The records of a compressed batch. Kafka never compresses metadata, but its format allows it.

Source: org.apache.kafka.common.record.CompressionType; snappy is framed as by xerial's SnappyOutputStream.
"""

from __future__ import annotations

import struct
import zlib
from io import BytesIO

from ...specs.errors import IsrproofError
from ..limits import BATCH
from ..sources.compression import NoReaderError, unpacked_zstd
from .wire import MalformedError

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
_MOST = BATCH.most
"""Largest number of bytes to which a batch may expand; more are not read, however small the file is."""
_LZ4_RATIO = 256
"""Largest number of bytes that one byte of lz4 stands for."""
_XERIAL = b"\x82SNAPPY\x00"
_AFTER_XERIAL = 16


def expanded(codec: int, data: bytes) -> bytes:
    """Return the decompressed bytes.

    Raises:
        MalformedError: the bytes are not compressed this way, or expand to more than a batch may have.
        IsrproofError: the library that reads them is not installed.
    """
    if codec >= len(CODECS):
        raise MalformedError(f"one of an unknown compression {codec}")
    name = CODECS[codec]
    if name == "none":
        return data
    if name == "gzip":
        return _gzip(data)
    if name == "zstd":
        return _zstd(data)
    try:
        import cramjam
    except ImportError as error:
        raise IsrproofError(f"a batch compressed by {name} needs cramjam: pip install 'isrproof[kraft]'") from error
    try:
        return _snappy(data, cramjam.snappy) if name == "snappy" else _lz4(data, cramjam.lz4)
    except cramjam.DecompressionError as error:
        raise MalformedError(f"one that is not compressed by {name}") from error


def _gzip(data: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        found = unpacker.decompress(data, _MOST)
    except zlib.error as error:
        raise MalformedError("one that is not compressed by gzip") from error
    if not unpacker.eof:
        raise MalformedError("one whose gzip data is cut, or too large")
    return found


def _zstd(data: bytes) -> bytes:
    found = bytearray()
    try:
        for block in unpacked_zstd(BytesIO(data)):
            found += block
            if len(found) > _MOST:
                raise MalformedError("one whose zstd data is too large")
    except EOFError as error:
        raise MalformedError("one that is not compressed by zstd") from error
    except NoReaderError as error:
        raise IsrproofError("a batch compressed by zstd needs zstandard: pip install 'isrproof[kraft]'") from error
    return bytes(found)


def _lz4(data: bytes, codec: object) -> bytes:
    room = bytearray(min(_MOST, _LZ4_RATIO * len(data)))
    size = codec.decompress_into(data, room)  # type: ignore[attr-defined]
    return bytes(memoryview(room)[:size])


def _snappy(data: bytes, codec: object) -> bytes:
    """Return the bytes of one block, or of xerial's format: a header, then blocks preceded by their lengths."""
    if not data.startswith(_XERIAL):
        return _block(codec, data, 0)
    found = bytearray()
    at = _AFTER_XERIAL
    while at < len(data):
        try:
            (size,) = struct.unpack_from(">i", data, at)
        except struct.error as error:
            raise MalformedError("one whose snappy data is cut") from error
        at += 4
        if size < 0 or at + size > len(data):
            raise MalformedError("one whose snappy data is cut")
        found += _block(codec, data[at : at + size], len(found))
        at += size
    return bytes(found)


def _block(codec: object, data: bytes, before: int) -> bytes:
    if before + codec.decompress_raw_len(data) > _MOST:  # type: ignore[attr-defined]
        raise MalformedError("one whose snappy data is too large")
    return bytes(codec.decompress_raw(data))  # type: ignore[attr-defined]


def compressed(codec: int, data: bytes) -> bytes:
    """Return bytes that `expanded` reads."""
    if not codec:
        return data
    if codec == 1:
        packer = zlib.compressobj(wbits=31)
        return packer.compress(data) + packer.flush()
    if codec == 4:
        import zstandard

        return bytes(zstandard.compress(data))
    import cramjam

    if codec == 2:
        block = bytes(cramjam.snappy.compress_raw(data))
        return _XERIAL + struct.pack(">ii", 1, 1) + struct.pack(">i", len(block)) + block
    return bytes(cramjam.lz4.compress(data))
