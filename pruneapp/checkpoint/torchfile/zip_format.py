"""Read zip archives of torch.save (since version 1.6), TorchScript, torch.package and torch.export.

An export that keeps the container copies the file and overwrites the changed storages at
`TensorEntry.location`. Then it writes the new checksums of these members at
`ArchiveMember.crc_positions`, little-endian in 4 bytes. Legacy files have no checksums. Compressed
members (`ArchiveMember.method` is not `STORED`) cannot be patched in place.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pruneapp.checkpoint.contents import ReadResult
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.torchfile import exported_program, torchscript
from pruneapp.checkpoint.torchfile.archive import (
    DEFLATED,
    Archive,
    ArchiveMember,
    Readable,
    find_directory,
    read_archive,
)
from pruneapp.checkpoint.torchfile.rebuild import call
from pruneapp.checkpoint.torchfile.sources import (
    MAX_RATIO,
    InflatedSource,
    PackedMember,
    Rebuilt,
    Span,
    inflate_all,
)
from pruneapp.checkpoint.torchfile.state_dicts import Declared
from pruneapp.checkpoint.torchfile.to_contents import (
    Described,
    TorchIndex,
    build,
    index_in_process,
    sources_of,
)
from pruneapp.checkpoint.torchfile.torch_objects import (
    BIG_ENDIAN,
    IN_PICKLE,
    SAVE_AGAIN,
    Global,
    MalformedError,
    Storage,
    Storages,
    Uncalled,
    UnsupportedError,
    translate_errors,
)
from pruneapp.checkpoint.torchfile.unpickler import (
    MAX_PICKLE,
    Machine,
    PushOpcode,
    RecordingMachine,
)
from pruneapp.progress import CancelToken, Job

FORMAT, LABEL = "torch", "PyTorch"
SCRIPT, _SCRIPT_LABEL = "torchscript", "TorchScript"
PACKAGE, _PACKAGE_LABEL = "torch-package", "torch.package"

# Maximum total size of the source code of a TorchScript program.
MAX_CODE = 64 << 20

# Larger pickles are parsed in another process, so that the window stays responsive.
IN_PROCESS = 2 << 20
MEMBERS_IN_PROCESS = 10_000


def recognises_zip(head: bytes, _source: FileSource) -> bool:
    """Return whether a file begins like a zip archive; `read_zip` determines its kind."""
    return head.startswith((b"PK\3\4", b"PK\5\6"))


def read_zip(source: FileSource, state_dict: str | None, job: Job) -> ReadResult:
    """Read the directory and the pickle of an archive; see `Reader.read`.

    An archive of more than 10,000 members or 2 MiB of pickles is parsed in a helper process.
    """
    with translate_errors(source.path):
        if find_directory(source)[2] > MEMBERS_IN_PROCESS:
            index = index_in_process(source, FORMAT, state_dict, job)
        else:
            archive = read_archive(source, job.cancel)
            if _header_bytes(archive) > IN_PROCESS:
                index = index_in_process(source, FORMAT, state_dict, job)
            else:
                index = index_archive(source, archive, state_dict, job.cancel)
    return index.contents, sources_of(source, index)


def _header_bytes(archive: Archive) -> int:
    """Return the total size of the pickles, JSON and source code that opening the archive reads."""
    if exported_program.is_program(archive):
        return exported_program.header_bytes(archive)
    if is_package(archive):
        return sum(m.size for name, m in archive.members.items() if not name.startswith(_DATA))
    script = "constants.pkl" in archive.members
    return sum(
        m.size
        for name, m in archive.members.items()
        if name in {"data.pkl", "constants.pkl"}
        or (script and name.startswith(torchscript.CODE) and name.endswith(".py"))
    )


def index_file(source: FileSource, state_dict: str | None, cancel: CancelToken) -> TorchIndex:
    """Read the headers of an archive of any size in this process."""
    return index_archive(source, read_archive(source, cancel), state_dict, cancel)


def index_archive(
    source: FileSource, archive: Archive, state_dict: str | None, cancel: CancelToken
) -> TorchIndex:
    """Read the pickles of an archive, or the JSON of a program, and describe its tensors.

    `state_dict` is the key of the dict to open, None for the default. Raises `MalformedError`,
    `UnsupportedError` for other archives, `CheckpointError` without tensors, or `Cancelled`.
    """
    _check_kind(archive)
    _check_byte_order(source, archive)

    def read(name: str, most: int = MAX_PICKLE) -> bytes:
        return read_member(source, archive, archive.members[name], most)

    if exported_program.is_program(archive):
        parsed = _Parsed(exported_program.FORMAT, exported_program.LABEL)
        parsed.root, roots = exported_program.state_dicts(archive, read)
        parsed.add(roots, exported_program.WEIGHTS)
    elif is_package(archive):
        parsed = _parse_package(archive, read, cancel)
    else:
        parsed = _parse_saved(archive, read, cancel)
    packed: dict[str, PackedMember] = {}
    start = 0
    for key, storage in parsed.storages.items():
        member = _member_of(archive, parsed.members[key], key, storage)
        if member is not None and member.method == DEFLATED:
            crc = member.crc if archive.checksums else None
            shown = f"storage '{key[:80]}'"
            packed[key] = PackedMember(start, member.size, member.data, member.stored, crc, shown)
            start += member.size
    inflated = InflatedSource(source, tuple(packed.values()))

    def locate(key: str) -> tuple[int, int]:
        if key in packed:
            return 1, packed[key].start
        member = archive.members.get(parsed.members.get(key, ""))
        return 0, member.data if member else 0

    described = Described(
        parsed.format,
        parsed.label,
        parsed.root,
        tuple(parsed.globals),
        (source, inflated) if packed else (source,),
        locate,
        script=parsed.format == SCRIPT,
        declared=parsed.declared,
    )
    try:
        contents, rebuilt = build(described, state_dict, cancel)
    finally:
        inflated.close()
    spans = _spans(archive, parsed.members, contents.entries, rebuilt, cancel)
    return TorchIndex(contents, spans, tuple(packed.values()), rebuilt)


# Returns a member of the archive by name, if it has at most the given number of bytes.
_Read = Callable[..., bytes]


@dataclass
class _Parsed:
    """The objects described by the pickles of an archive, and the members of the storages."""

    format: str
    label: str
    root: Any = None
    globals: list[Global] = field(default_factory=list)  # names that the pickles refer to
    storages: dict[str, Storage] = field(default_factory=dict)  # by key
    members: dict[str, str] = field(default_factory=dict)  # names of the members, by storage key
    declared: dict[str, Declared] = field(default_factory=dict)

    def add(self, storages: Mapping[str, Storage], folder: str, prefix: str = "") -> None:
        """Add storages whose members are in `folder`, named by their keys without `prefix`."""
        self.storages |= storages
        self.members |= {key: f"{folder}{key[len(prefix) :]}" for key in storages}


def _parse_saved(archive: Archive, read: _Read, cancel: CancelToken) -> _Parsed:
    """Parse an archive of ``torch.save`` or TorchScript, which has a ``constants.pkl``.

    The root is None if there are neither storages nor arrays.
    """
    script = "constants.pkl" in archive.members
    parsed = _Parsed(SCRIPT, _SCRIPT_LABEL) if script else _Parsed(FORMAT, LABEL)
    machine, storages = _run(parsed, read("data.pkl"), cancel)
    parsed.add(storages.roots, "data/")
    if script:
        modules = _source_code(archive, read, torchscript.CODE)
        parsed.declared = torchscript.declarations(modules, cancel)
        _add_constants(parsed, read("constants.pkl"), modules, cancel)
    if not parsed.storages and not machine.arrays:
        parsed.root = None  # without data there are no tensors to find
    return parsed


def _run(
    parsed: _Parsed,
    data: bytes,
    cancel: CancelToken,
    prefix: str = "",
    programs: Mapping[str, Any] | None = None,
) -> tuple[Machine, Storages]:
    """Parse a pickle and set `parsed.root` to its object. The caller adds its storages.

    `prefix` and `programs` are those of `Storages`. The names of code are added to `parsed`.
    """
    storages = Storages(prefix, programs)
    machine = Machine(data, call, storages, cancel)
    parsed.root = machine.run()
    parsed.globals += machine.globals.values()
    return machine, storages


def _source_code(archive: Archive, read: _Read, folder: str) -> dict[str, str]:
    """Return the source code of a TorchScript program, by dotted module name.

    `folder` ends in a slash. Raises `UnsupportedError` for more than 64 MiB in all.
    """
    found = {}
    left = MAX_CODE
    for name in archive.members:
        if name.startswith(folder) and name.endswith(".py"):
            text = read(name, left)
            left -= len(text)
            module = name.removeprefix(folder).removesuffix(".py").replace("/", ".")
            found[module] = text.decode("utf-8", "replace")
    return found


# Prefix of the storage keys of constants, which are numbered separately.
_CONSTANTS_PREFIX = "constants/"


def _add_constants(
    parsed: _Parsed, data: bytes, modules: Mapping[str, str], cancel: CancelToken
) -> None:
    """Add the constants of a TorchScript program to its attributes.

    The constants of a frozen program are its weights. If there are other tensors, only constants
    that an operator reads as weights are added. `data` is ``constants.pkl``, `modules` the source
    code by module. If the program is no object, its root becomes a dict of the constants. Raises
    `MalformedError` if a storage has the name of another one.
    """
    program = parsed.root
    frozen = not parsed.storages
    _, storages = _run(parsed, data, cancel, _CONSTANTS_PREFIX)
    constants, parsed.root = parsed.root, program
    tensors = torchscript.mark_constants(
        constants, torchscript.constant_roles(modules.values(), cancel)
    )
    if not frozen:
        tensors = {name: t for name, t in tensors.items() if t.kind != torchscript.CONSTANT}
    if not tensors:
        return
    if any(key in parsed.storages for key in storages.roots):
        raise MalformedError("a storage of its constants has the name of another")
    parsed.add(storages.roots, "constants/", _CONSTANTS_PREFIX)
    if isinstance(program, Uncalled):
        program.state = {**program.attributes(), torchscript.CONSTANTS: tensors}
    else:
        parsed.root = {f"{torchscript.CONSTANTS}.{name}": t for name, t in tensors.items()}


def is_package(archive: Archive) -> bool:
    """Return whether an archive was written by ``torch.package``."""
    return f"{_DATA}extern_modules" in archive.members


_DATA = ".data/"
_PROGRAMS = f"{_DATA}ts_code/"


def _parse_package(archive: Archive, read: _Read, cancel: CancelToken) -> _Parsed:
    """Parse all pickles of a package. The root is a dict of their objects by path.

    Members that are not pickles are skipped, and empty ones. Raises `MalformedError` for a storage
    with two sizes, and `UnsupportedError` for more than 256 MiB of pickles.
    """
    parsed = _Parsed(PACKAGE, _PACKAGE_LABEL)
    storages: dict[str, Storage] = {}
    found: dict[str, Any] = {}
    programs: dict[str, Any] = {}
    left = MAX_PICKLE
    ending = "/data.pkl"
    scripts = [n for n in archive.members if n.startswith(_PROGRAMS) and n.endswith(ending)]
    if scripts:
        modules = _source_code(archive, read, f"{_PROGRAMS}code/")
        parsed.declared = torchscript.declarations(modules, cancel)
    for name in (*scripts, *archive.members):
        if name.endswith(".py") or (name.startswith(_DATA) and name not in scripts):
            continue
        if archive.members[name].size < 2 or (name in scripts and name in found):
            continue
        data = read(name, left)
        left -= len(data)
        if data[:1] != b"\x80" or data[-1:] != b".":
            continue  # a text or another file
        _, own = _run(parsed, data, cancel, "", programs)
        for key, storage in own.roots.items():
            known = storages.setdefault(key, storage)
            if known.nbytes != storage.nbytes:
                raise MalformedError(f"storage '{key[:80]}' has two sizes")
        if name in scripts:
            programs[name.removeprefix(_PROGRAMS).removesuffix(ending)] = parsed.root
        else:
            found[name] = parsed.root
    parsed.storages = storages
    parsed.members = {key: f"{_DATA}{key}.storage" for key in storages}
    parsed.root = found
    return parsed


def _spans(
    archive: Archive,
    members: Mapping[str, str],
    entries: Iterable[TensorEntry],
    rebuilt: Iterable[Rebuilt],
    cancel: CancelToken,
) -> tuple[Span, ...]:
    """Return the storages of the chosen tensors that have a checksum, sorted by position.

    `members` has the member of each storage by key. Each span is named after its first tensor.
    Compressed storages are not included.
    """
    if not archive.checksums:
        return ()
    named = chain(
        ((entry.name, entry.location) for entry in entries),
        ((one.name, where) for one in rebuilt for where in one.locations),
    )
    labels: dict[str, str] = {}
    for name, where in cancel.each(named):
        if where.source == 0:
            labels.setdefault(where.storage, f"tensor '{name[:200]}'")
    spans = [
        Span(m.data, m.data + m.size, m.crc, label)
        for key, label in cancel.each(labels.items())
        if (m := archive.members.get(members.get(key, ""))) and m.size
    ]
    return tuple(sorted(spans, key=lambda span: span.start))


def _check_kind(archive: Archive) -> None:
    """Raise `UnsupportedError` for an archive of another kind.

    Raises `MalformedError` if an archive of torch.save has a second pickle.
    """
    members = archive.members
    if exported_program.is_program(archive) or is_package(archive):
        return
    if "data.pkl" in members:
        others = [n for n in members if n != "data.pkl" and n.rpartition("/")[2] == "data.pkl"]
        if others:
            raise MalformedError(f"it contains a second pickle, '{others[0][:80]}'")
        return
    if "model.json" in members and any(name.startswith("tensors/") for name in members):
        raise UnsupportedError(
            "is a TorchScript program of torch 1.0 to 1.3, which Pruneapp does not read",
            "Save it again in Python: torch.jit.load(FILE).save('model.pt').",
        )
    raise UnsupportedError(
        "is a zip archive without the data.pkl that torch.save writes",
        "If a checkpoint is inside, unpack it first.",
    )


def _check_byte_order(source: FileSource, archive: Archive) -> None:
    """Raise `UnsupportedError` for a big-endian archive.

    An archive without the member ``byteorder`` is accepted. Raises `MalformedError` for other
    values.
    """
    member = archive.members.get("byteorder")
    if member is None:
        return
    order = read_member(source, archive, member, 64).strip()
    if order == b"big":
        raise UnsupportedError(*BIG_ENDIAN)
    if order != b"little":
        raise MalformedError("its byteorder is neither little nor big")


def read_member(source: Readable, archive: Archive, member: ArchiveMember, most: int) -> bytes:
    """Return the content of a member in memory, after verifying its checksum.

    Raises `UnsupportedError` if it has more than `most` bytes or an implausible compression ratio,
    and `MalformedError` if its content is wrong.
    """
    if member.size > most or member.size > MAX_RATIO * member.stored:
        raise UnsupportedError(
            f"contains '{member.name[:80]}' of {member.size:,} bytes (stored in "
            f"{member.stored:,}), which is more than Pruneapp reads",
            SAVE_AGAIN,
        )
    raw = source.read(member.data, member.stored)
    content = inflate_all(raw, member.size) if member.method == DEFLATED else raw
    if content is None or (archive.checksums and zlib.crc32(content) != member.crc):
        raise MalformedError(f"the bytes of '{member.name[:80]}' are not those that were saved")
    return content


def _member_of(archive: Archive, name: str, key: str, storage: Storage) -> ArchiveMember | None:
    """Return the member that contains a storage; None for an empty storage without one.

    `name` is that of the member. Raises `MalformedError` if it is missing or of another size.
    """
    member = archive.members.get(name)
    if member is None:
        if storage.nbytes == 0:
            return None
        raise MalformedError(f"storage '{key[:80]}' is missing")
    if not 0 <= member.size - storage.nbytes < storage.element.itemsize:
        raise MalformedError(
            f"storage '{key[:80]}' should have {storage.nbytes:,} bytes and has {member.size:,}"
        )
    return member


def zip_layout(source: FileSource, cancel: CancelToken) -> Archive:
    """Return the members of a zip archive with all positions. Raises `CheckpointError`."""
    with translate_errors(source.path):
        return read_archive(source, cancel)


def member_content(source: FileSource, archive: Archive, name: str, most: int) -> bytes:
    """Return the content of a member (see `read_member`). Raises `CheckpointError`."""
    with translate_errors(source.path):
        return read_member(source, archive, archive.members[name], most)


def pickle_with_zeros(
    source: FileSource, member: ArchiveMember, zero: Mapping[str, Zero], cancel: CancelToken
) -> bytes | None:
    """Return the pickle of an archive with zeros in its numpy arrays, with unchanged length.

    `member` is the pickle, which must be uncompressed. `zero` maps `Location.storage` of an array
    to a function that sets elements to 0 in its bytes. None if the bytes of an array cannot be
    replaced separately. Raises `CheckpointError` for an invalid pickle.
    """
    data = source.read(member.data, member.stored)
    with translate_errors(source.path):
        places = {int(name.removeprefix(IN_PICKLE)): change for name, change in zero.items()}
        return ArrayBytes(data, cancel).with_zeros(places)


Zero = Callable[[bytearray], None]
# The format of the length that follows the opcode of a text.
_LENGTHS = {b"\x8c": "<B", b"X": "<I", b"\x8d": "<Q"}


class ArrayBytes(RecordingMachine):
    """A pickle in memory whose arrays can be replaced by zeros."""

    def __init__(self, data: bytes, cancel: CancelToken) -> None:
        super().__init__(data, call, cancel)
        self._pickle = data
        self._framed = False

    def with_zeros(self, zero: Mapping[int, Zero]) -> bytes | None:
        """Parse the pickle, and return it with zeros in some of its arrays, with unchanged length.

        Old protocols encode bytes as text, which is shorter for zeros: the pickle is then padded
        with zeros after its end. `zero` maps `Array.position` to a function that sets elements to 0
        in the bytes of an array, in place. None if the bytes of an array cannot be replaced
        separately. Call it once.
        """
        self.run()
        arrays = {array.position: array for array in self.arrays}
        spots: dict[int, tuple[PushOpcode, bytes]] = {}
        for position, change in zero.items():
            raw = arrays[position].raw
            assert isinstance(raw, bytes)
            spot = self.push_opcode_of(arrays[position])
            if spot is None:
                return None
            with_zeros = bytearray(raw)
            change(with_zeros)
            spots[spot.start] = spot, bytes(with_zeros)
        pieces: list[bytes] = []
        at = 0
        for start, (spot, raw) in sorted(spots.items()):
            pieces.append(self._pickle[at:start])
            instruction = self._instruction_of(spot, raw)
            if instruction is None:
                return None
            pieces.append(instruction)
            at = spot.stop
        pieces.append(self._pickle[at:])
        return b"".join(pieces).ljust(len(self._pickle), b"\0")

    def _instruction_of(self, spot: PushOpcode, raw: bytes) -> bytes | None:
        """Return the opcode that pushes `raw` instead; None for text in a frame or a line."""
        if not spot.text:
            return self._pickle[spot.start : spot.stop - len(raw)] + raw
        text = raw.decode("latin-1").encode()
        code = self._pickle[spot.start : spot.start + 1]
        if self._framed or code not in _LENGTHS:
            return None  # the length of a frame includes it
        return code + struct.pack(_LENGTHS[code], len(text)) + text

    def _op_frame(self) -> None:
        super()._op_frame()
        self._framed = True
