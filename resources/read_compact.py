"""Read a compact file of Pruneapp with numpy and zstandard alone (layout: docs/formats.md).

`python read_compact.py FILE OUT` writes the dense safetensors file; `tensors(FILE)` yields name,
type, shape and bytes of every tensor, for np.frombuffer(data, "<f4").reshape(shape) and the like.
"""
import json, math, re, struct, sys, numpy as np, zstandard

def bits(dtype):  # of one number: F32 has 32, F8_E4M3 has 8, BOOL has a byte
    return int((re.findall(r"\d+", dtype) or ["8"])[0])

def header(file):
    size = struct.unpack("<Q", file.read(8))[0]
    return 8 + size, json.loads(file.read(size))

def unpack(data, row, size):  # one frame: the mask, then the bytes of each kind
    kept, ends, unzip = row[0], np.cumsum(row[1:]), zstandard.ZstdDecompressor().decompress
    mask, *planes = [bytes(data[end - n : end]) for n, end in zip(row[1:], ends)]
    out, there = np.zeros((size, len(planes)), np.uint8), slice(None)
    if 0 < kept < size:
        packed = np.frombuffer(unzip(mask), np.uint8)
        there = np.unpackbits(packed, count=size, bitorder="little").view(bool)
    for place in range(len(planes) if kept else 0):
        out[there, place] = np.frombuffer(unzip(planes[place]), np.uint8)
    return out.tobytes()

def tensors(path):
    with open(path, "rb") as file:
        start, stored = header(file)
        about = json.loads(stored["__metadata__"]["pruneapp"])

        def read(name):
            begin, end = stored[name]["data_offsets"]
            file.seek(start + begin)
            return file.read(end - begin)

        for name, (dtype, shape) in about["tensors"].items():
            if name in stored:  # as it is
                yield name, dtype, shape, read(name)
                continue
            rows = np.frombuffer(read(name + ":index"), "<u4").reshape(-1, 2 + bits(dtype) // 8)
            data, left, at, out = memoryview(read(name + ":frames")), math.prod(shape), 0, []
            for row in rows.astype(int).tolist():
                out.append(unpack(data[at:], row, min(about["frame"], left)))
                at, left = at + sum(row[1:]), left - about["frame"]
            yield name, dtype, shape, b"".join(out)

if __name__ == "__main__":
    about = json.loads(header(open(sys.argv[1], "rb"))[1]["__metadata__"]["pruneapp"])
    head, end = {"__metadata__": about["metadata"]} if about["metadata"] else {}, 0
    for name, (dtype, shape) in about["tensors"].items():
        begin, end = end, end + math.prod(shape) * bits(dtype) // 8
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(sys.argv[2], "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        out.writelines(data for *_, data in tensors(sys.argv[1]))
