#!/usr/bin/env python3
"""Writes the fixtures of binary formats into the folder of this script, from the formats' public layouts.

usage: Tests/formats/make-binary.py

The same files come out each time. What is read of them lies beside them in .records, and what is said of the malformed ones in .message.
"""
import os
import struct

here = os.path.dirname(os.path.abspath(__file__))


def write(name, *parts, format=None):
    path = os.path.join(here, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"".join(parts))
    if format:
        with open(path + ".format", "w") as file:
            file.write(format + "\n")


def numbers(count, below, seed=1):
    """Numbers of which small ones are more frequent, the same each time."""
    state = seed
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        share = (state >> 33) / 2**31
        yield int(share * share * below)


# ---- libCacheSim's oracleGeneral: u32 seconds, u64 object, u32 size, i64 number of the next request of the object
def oracle(requests):
    last, following = {}, [-1] * len(requests)
    for index, request in enumerate(requests):
        if request[1] in last:
            following[last[request[1]]] = index + 1
        last[request[1]] = index
    return [struct.pack("<IQIq", *request, after) for request, after in zip(requests, following)]


requests = [(100 + index // 3, key, 512 * (1 + key % 4)) for index, key in enumerate([7, 8, 7, 9, 2**40, 7, 8, 9, 7, 8, 9, 2**40])]
write("oracle-general/trace.bin", *oracle(requests))
write("oracle-general/zero.oracleGeneral", *oracle([(1, 5, 0), (2, 6, 10), (3, 5, 0)]))
write("oracle-general/bad-cut.oracleGeneral", *oracle(requests), b"\x01" * 23)

# ---- numbers alone
write("corda/small.bin", *(struct.pack(">q", key) for key in numbers(300, 40000)))
write("corda/signed.corda", struct.pack(">qqq", 5, -2, 2**63 - 1))
write("corda/bad-cut.corda", struct.pack(">qq", 5, 6), b"\0\0\0")
write("cache2k/small.bin", *(struct.pack(">i", key) for key in numbers(400, 3000)))
write("cache2k/signed.cache2k", struct.pack(">iii", 5, -2, 2**31 - 1))
write("cache2k/bad-cut.cache2k", struct.pack(">ii", 5, 6), b"\0\0\0")
write("cloud-physics/small.bin", *(struct.pack("<I", key) for key in numbers(400, 500000)))
write("cloud-physics/large.cloud-physics", struct.pack(">III", 5, 6, 2**32 - 1))
write("cloud-physics/bad-cut.cloud-physics", struct.pack(">II", 5, 6), b"\0\0\0")
write("valpin/small.bin", *(struct.pack("<Q", key) for key in numbers(300, 40000)))
write("valpin/large.valpin", struct.pack("<QQQ", 5, 2**63, 2**64 - 1))
write("valpin/bad-cut.valpin", struct.pack("<QQ", 5, 6), b"\0")


# ---- LCS: a header of 8,192 bytes, then records by version
def lcs_header(version, requests=0, objects=0, size=0, start=0, end=0, reads=0, writes=0, deletes=0, mark=0x123456789ABCDEF0):
    stat = struct.pack("<10q", version, requests, objects, size, 0, start, end, reads, writes, deletes).ljust(8000, b"\0")
    return struct.pack("<QQ", 0x123456789ABCDEF0, version) + stat + bytes(8 * 21) + struct.pack("<Q", mark)


# time, object, size, operation, tenant, time to live
lcs = [
    (10, 1, 100, 1, 3, 0), (10, 2**50, 200, 3, 3, 60), (11, 1, 100, 12, 70000, 2**32 - 1), (12, 3, 0, 1, 3, 5), (13, 2**50, 200, 9, 3, 60),
    (14, 4, 300, 0, 70000, 2**32 - 2),
]


def lcs_record(version, time, key, size, operation, tenant, ttl, index):
    word = operation | tenant << 8
    if version == 1:
        return struct.pack("<IQIq", time, key, size, -1)
    if version == 2:
        return struct.pack("<IQIIq", time, key, size, word, -1)
    features = {3: 0, 4: 1, 5: 2, 6: 4, 7: 8, 8: 16}[version]
    return struct.pack("<IQqIIq", time, key, size, word, ttl, -1) + struct.pack(f"<{features}I", *range(index, index + features))


def lcs_records(version, rows=lcs):
    return [lcs_record(version, *row, index) for index, row in enumerate(rows)]


for version in range(1, 9):
    write(
        f"lcs/v{version}.bin",
        lcs_header(version, 6, 4, 900, 10, 14, 4, 1, 1) if version > 1 else lcs_header(1, 6, 4, 900, 10, 14), *lcs_records(version))
write("lcs/large.lcs", lcs_header(3), struct.pack("<IQqIIq", 10, 1, 2**33, 1, 0, -1))
write("lcs/other-counts.lcs", lcs_header(2, 7, 4, 901, 10, 14, 4, 1, 1), *lcs_records(2))
# A time of which the first bytes are those of gzip.
write("lcs/gzip-time.lcs", lcs_header(1), struct.pack("<IQIq", 0x088B1F, 1, 5, -1))
write("lcs/keep.lcs", lcs_header(3), *lcs_records(3), format="lcs:zero-sized=keep")
write("lcs/bad-cut.lcs", lcs_header(3, 6, 4, 900, 10, 14, 4, 1, 1), *lcs_records(3)[:2], lcs_records(3)[2][:35])
write("lcs/bad-header.lcs", lcs_header(3)[:4000])
write("lcs/bad-mark.lcs", lcs_header(3, mark=0), *lcs_records(3))
write("lcs/bad-version.lcs", lcs_header(9), *lcs_records(3))
write("lcs/bad-size.lcs", lcs_header(3), struct.pack("<IQqIIq", 10, 1, -5, 1, 0, -1))
write("lcs/bad-operation.lcs", lcs_header(2), struct.pack("<IQIIq", 10, 1, 5, 77, -1))

# ---- Twitter's: u32 seconds, u64 object, sizes of key (10 bits) and value (22), operation (8) and time to live (24)
# time, object, key's size, value's size, operation, namespace, time to live
twitter = [
    (50, 11, 20, 1000, 1, 1, 0), (50, 12, 21, 0, 1, 2, 0), (51, 12, 21, 300, 3, 2, 3600), (51, 11, 20, 1000, 2, 1, 0), (52, 13, 22, 0, 9, 1, 0),
    (53, 2**60, 1023, 2**22 - 1, 4, 65535, 2**24 - 1), (53, 12, 21, 300, 1, 2, 0), (54, 11, 20, 1000, 11, 1, 60), (55, 11, 20, 1000, 1, 1, 0),
]


def twr(row, namespace):
    time, key, key_size, value_size, operation, space, ttl = row
    packed = struct.pack("<IQII", time, key, key_size << 22 | value_size, operation << 24 | ttl)
    return packed + (struct.pack("<H", space) if namespace else b"")


def oracle_twr(row, after=-1):
    time, key, key_size, value_size, operation, space, ttl = row
    return struct.pack("<IQHIHHiq", time, key, key_size, value_size, operation, space, -1 if ttl == 2**24 - 1 else ttl, after)


write("twr/trace.bin", *(twr(row, False) for row in twitter))
write("twr/keep.twr", *(twr(row, False) for row in twitter), format="twr:zero-sized=keep")
write("twr/bad-cut.twr", *(twr(row, False) for row in twitter), b"\0" * 19)
write("twr/bad-operation.twr", twr(twitter[0], False), twr((51, 1, 2, 3, 99, 0, 0), False))
write("twr-ns/trace.bin", *(twr(row, True) for row in twitter))
write("twr-ns/bad-cut.twrNS", *(twr(row, True) for row in twitter), b"\0" * 21)
write("oracle-sys-twr-ns/trace.bin", *(oracle_twr(row, 9 + index if index < 3 else -1) for index, row in enumerate(twitter)))
write("oracle-sys-twr-ns/bad-cut.oracleSysTwrNS", *(oracle_twr(row) for row in twitter), b"\0" * 33)
write("oracle-sys-twr-ns/bad-ttl.oracleSysTwrNS", oracle_twr(twitter[0]), oracle_twr((51, 1, 2, 3, 1, 0, -7)))


# ---- vscsiStats: version 1 of 32 bytes, version 2 of 40
# command, block of 512 bytes, bytes, microseconds
scsi = [
    (0x28, 1000, 4096, 1_000_000), (0x2A, 1008, 8192, 1_000_250), (0x28, 1003, 512, 1_000_900), (0x35, 0, 0, 1_001_000),
    (0x88, 2**34, 65536, 1_002_000), (0x8A, 1000, 4096, 1_500_000), (0x28, 1016, 4096, 1_500_000), (0x12, 0, 36, 1_500_001),
    (0x28, 1000, 4096, 2_000_000),
]


def vscsi(version, index, command, block, size, time):
    if version == 1:
        return struct.pack("<IIIHHQQ", index, size, 1, command, 1 << 8, block, time)
    return struct.pack("<HHIIIQQQ", command, 2 << 8, index, size, 1, block, time, 777)


for version in (1, 2):
    rows = [vscsi(version, index, *row) for index, row in enumerate(scsi)]
    write(f"vscsi/v{version}.bin", *rows)
    write(f"vscsi/blocks-v{version}.vscsi", *rows, format="vscsi:block=4096")
    write(f"vscsi/one-v{version}.vscsi", rows[0])
    write(f"vscsi/bad-cut-v{version}.vscsi", *rows, rows[0][:-1])
write("vscsi/bad-version.vscsi", struct.pack("<IIIHHQQ", 0, 512, 1, 0x28, 3 << 8, 1, 1) * 3)
write("vscsi/bad-mixed.vscsi", *(vscsi(1, index, 0x28, index, 512, index) for index in range(2100)), vscsi(1, 0, 0x28, 1, 512, 1)[:14] + bytes(18))
write("vscsi/bad-range.vscsi", vscsi(1, 0, 0x28, 2**55, 512, 1), format="vscsi:block=4096")

# ---- records that are described as for Python's struct
rows = [(7, 100, 10, b"G", -1), (8, 101, 20, b"S", 3), (7, 102, 0, b"D", 0)]
write("binary/iqi.bin", *(struct.pack("<IQI", time, key, size) for key, time, size, _, _ in rows), format="binary:format=<IQI,time=1,key=2,size=3")
write(
    "binary/letters.bin",
    *(
        struct.pack("<" + "bB?hHiIlLqQfd", -1, 2, True, -3, 4, -5, 6, -7, 8, -key, size, 0.5, time + 0.25)
        for key, time, size, _, _ in rows
    ),
    format="binary:format=<bB?hHiIlLqQfd,key=10,size=11,cost=12,time=13,zero-sized=keep")
write(
    "binary/big-endian.bin",
    *(struct.pack(">2xH2I8scq", 9, 1, time, b"key-%d" % key, what[:1], ttl) for key, time, _, what, ttl in [(7, 1, 0, b"R", -1), (8, 2, 0, b"W", 5), (7, 3, 0, b"R", 0)]),
    format="binary:format=>2xH2I8scq,tenant=1,time=3,time-unit=ms,key=4,op=5,ttl=6")
write("binary/bad-cut.bin", struct.pack("<IQI", 1, 2, 3) * 2, b"\0" * 15, format="binary:format=<IQI,time=1,key=2,size=3")
write("binary/bad-operation.bin", struct.pack("<QB", 1, 1), struct.pack("<QB", 2, 99), format="binary:format=<QB,key=1,op=2")
write("binary/bad-time.bin", struct.pack("<Qd", 1, 0.5), struct.pack("<Qd", 1, float("nan")), format="binary:format=<Qd,key=1,time=2")
write("binary/bad-size.bin", struct.pack("<Qi", 1, 5), struct.pack("<Qi", 1, -5), format="binary:format=<Qi,key=1,size=2")
