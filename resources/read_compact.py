"""Read a compact file: the weights of a pruned network, of which only nonzeros are stored.
Program: python read_compact.py x.compact.safetensors [OUT] writes the plain x.safetensors, or OUT.
Python: read_compact.load(FILE) is a dict of numpy arrays; bfloat16 and float8 are bits in integers.
Layout: safetensors, with names, types and shapes in the metadata "pruneapp". A tensor NAME is stored
unchanged, or in frames of "frame" elements: a row of NAME:index has the number of nonzeros, and the
sizes in bytes of their mask (1 bit each, lowest first; empty for all or none) and of each plane
(byte k of all nonzeros); NAME:frames has masks and planes, each compressed with zstd."""
import json, math, os, re, sys
try: import numpy as np, zstandard
except ImportError: sys.exit("read_compact.py needs two packages: pip install zstandard numpy")
KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "C64": "<c8", "BOOL": "?"}
def bits(dtype): return int((re.findall(r"\d+", dtype) or ["8"])[0])  # of a number: BOOL has a byte
def header(path):  # offset of the data, stored tensors, and the tensors that they encode
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        stored = json.loads(file.read(size)) if size < os.path.getsize(path) else {}
    own = stored.get("__metadata__", {})
    if own.get("format") != "pruneapp-compact": raise ValueError(f"{path} is not a compact file.")
    about = json.loads(own["pruneapp"])
    texts = about["metadata"].items()  # None stands for the text of the compact file itself
    return 8 + size, stored, about | {"metadata": {k: own[k] if v is None else v for k, v in texts}}
def unpack(data, row, size):  # one frame: the mask, then the bytes of each kind
    unzip, ends = zstandard.ZstdDecompressor().decompress, np.cumsum(row[1:])
    parts = [unzip(data[e - n : e].tobytes()) if n else b"" for n, e in zip(row[1:], ends)]
    mask, *planes = [np.frombuffer(part, np.uint8) for part in parts]
    there = np.unpackbits(mask, count=size, bitorder="little") > 0 if mask.size else slice(None)
    out = np.zeros((size, len(planes)), np.uint8)
    for place in range(len(planes) if row[0] else 0): out[there, place] = planes[place]
    return out.tobytes()
def tensors(path):  # name, type, shape and bytes of one after the other
    start, stored, about = header(path)
    data = np.memmap(path, np.uint8, "r")[start:]
    for name, (dtype, shape) in about["tensors"].items():
        part = lambda end: data[slice(*stored[name + end]["data_offsets"])]
        left, out = math.prod(shape), bytearray(part("") if name in stored else b"")
        if name not in stored:
            frames = part(":frames")
            for row in part(":index").view("<u4").reshape(-1, 2 + bits(dtype) // 8).tolist():
                out += unpack(frames, row, min(about["frame"], left))
                frames, left = frames[sum(row[1:]) :], left - about["frame"]
        yield name, dtype, shape, out
def load(path):
    arrays = {}
    for name, dtype, shape, data in tensors(path):
        kind = f"<{dtype[0].lower()}{bits(dtype) // 8}" if dtype[0] in "IU" else "u1"
        arrays[name] = np.frombuffer(data, KINDS.get(dtype, kind)).reshape(shape if bits(dtype) > 7 else -1)
    ties = header(path)[2]["metadata"]  # other names of tensors
    return arrays | {tied: arrays[name] for tied, name in ties.items() if name in arrays}
if __name__ == "__main__":
    if len(sys.argv) not in (2, 3): sys.exit(__doc__)
    out = (sys.argv + [re.sub(r"(\.compact)?\.safetensors$", "", sys.argv[1]) + ".safetensors"])[2]
    try: about, file = header(sys.argv[1])[2], open(out, "xb")
    except (OSError, ValueError) as error: sys.exit(str(error))
    head, end = {"__metadata__": about["metadata"]} if about["metadata"] else {}, 0
    for name, (dtype, shape) in about["tensors"].items():
        begin, end = end, end + math.prod(shape) * bits(dtype) // 8
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode()
    file.write((size := -(-len(text) // 8) * 8).to_bytes(8, "little") + text.ljust(size))
    file.writelines(data for *_, data in tensors(sys.argv[1]))
