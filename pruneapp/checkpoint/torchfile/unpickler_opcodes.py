"""Which method of the machine does which opcode: all of protocols 0 to 5 but those left out."""

from __future__ import annotations

import pickletools

# Code by number, and buffers beside the pickle: torch never writes them.
LEFT_OUT = frozenset({"EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"})

_METHODS = {
    "PROTO": "_proto", "FRAME": "_frame", "STOP": "_stop",
    "NONE": "_none", "NEWTRUE": "_true", "NEWFALSE": "_false",
    "INT": "_int_line", "LONG": "_long_line", "BININT": "_int4", "BININT1": "_int1",
    "BININT2": "_int2", "LONG1": "_long1", "LONG4": "_long4",
    "FLOAT": "_float_line", "BINFLOAT": "_float",
    "STRING": "_string_line", "BINSTRING": "_string4", "SHORT_BINSTRING": "_string1",
    "UNICODE": "_unicode_line", "SHORT_BINUNICODE": "_unicode1", "BINUNICODE": "_unicode4",
    "BINUNICODE8": "_unicode8", "SHORT_BINBYTES": "_bytes1", "BINBYTES": "_bytes4",
    "BINBYTES8": "_bytes8", "BYTEARRAY8": "_bytes8",
    "MARK": "_mark", "POP": "_pop_top", "POP_MARK": "_pop_mark", "DUP": "_dup",
    "EMPTY_LIST": "_empty_list", "EMPTY_DICT": "_empty_dict", "EMPTY_SET": "_empty_set",
    "EMPTY_TUPLE": "_empty_tuple", "LIST": "_list", "TUPLE": "_tuple", "TUPLE1": "_tuple1",
    "TUPLE2": "_tuple2", "TUPLE3": "_tuple3", "FROZENSET": "_frozenset", "DICT": "_dict",
    "APPEND": "_append", "APPENDS": "_appends", "ADDITEMS": "_appends",
    "SETITEM": "_set_item", "SETITEMS": "_set_items",
    "PUT": "_put_line", "BINPUT": "_put1", "LONG_BINPUT": "_put4", "MEMOIZE": "_memoize",
    "GET": "_get_line", "BINGET": "_get1", "LONG_BINGET": "_get4",
    "GLOBAL": "_global", "STACK_GLOBAL": "_stack_global", "REDUCE": "_reduce",
    "NEWOBJ": "_reduce", "NEWOBJ_EX": "_new_keywords", "INST": "_inst", "OBJ": "_obj",
    "BUILD": "_build", "BINPERSID": "_persistent_id", "PERSID": "_persistent_line",
}  # fmt: skip
HANDLERS: dict[int, str] = {
    ord(opcode.code): _METHODS[opcode.name]
    for opcode in pickletools.opcodes
    if opcode.name not in LEFT_OUT
}
