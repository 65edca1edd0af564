"""The instructions of a pickle that make lists, dicts, sets and tuples, and fill them."""

from __future__ import annotations

from typing import Any

from pruneapp.checkpoint.torchfile.torch_objects import Bag, Uncalled, plain
from pruneapp.checkpoint.torchfile.torch_objects_faults import Malformed
from pruneapp.checkpoint.torchfile.unpickler_values import ValueStack

MAX_DEPTH = 10_000


class Containers(ValueStack):
    """A stack with marks on it, and what makes containers of what lies above a mark."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._marks: list[int] = []

    def _since_mark(self) -> list[Any]:
        if not self._marks:
            self._empty()
        mark = self._marks.pop()
        items = self._stack[mark:]
        del self._stack[mark:]
        return items

    @staticmethod
    def _empty() -> None:
        raise Malformed("an instruction of its pickle lacks its operands")

    def _mark(self) -> None:
        if len(self._marks) >= MAX_DEPTH:
            raise Malformed(f"its pickle is nested more than {MAX_DEPTH:,} deep")
        self._marks.append(len(self._stack))

    def _pop_top(self) -> None:
        if self._marks and self._marks[-1] == len(self._stack):
            self._marks.pop()  # POP right after MARK drops the mark
        else:
            self._pop()

    def _pop_mark(self) -> None:
        self._since_mark()

    def _dup(self) -> None:
        self._push(self._stack[-1])

    def _empty_list(self) -> None:
        self._push([])

    def _empty_dict(self) -> None:
        self._push({})

    def _empty_set(self) -> None:
        self._push(Bag([]))

    def _empty_tuple(self) -> None:
        self._push(())

    def _list(self) -> None:
        self._push(self._since_mark())

    def _tuple(self) -> None:
        self._push(tuple(self._since_mark()))

    def _tuple1(self) -> None:
        self._push((self._pop(),))

    def _tuple2(self) -> None:
        second = self._pop()
        self._push((self._pop(), second))

    def _tuple3(self) -> None:
        third, second = self._pop(), self._pop()
        self._push((self._pop(), second, third))

    def _frozenset(self) -> None:
        self._push(Bag(self._since_mark()))

    def _dict(self) -> None:
        items = self._since_mark()
        made: dict[Any, Any] = {}
        self._fill(made, items)
        self._push(made)

    def _append(self) -> None:
        value = self._pop()
        target = self._stack[-1]
        if type(target) is list:
            target.append(value)
        else:
            self._extend([value])

    def _appends(self) -> None:
        self._extend(self._since_mark())

    def _extend(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is list:
            target.extend(items)
        elif isinstance(target, (Uncalled, Bag)):
            target.items.extend(items)
        else:
            raise Malformed("its pickle appends to something that is no list")

    def _set_item(self) -> None:
        value = self._pop()
        key = self._pop()
        self._fill(self._stack[-1], [key, value])

    def _set_items(self) -> None:
        items = self._since_mark()
        self._fill(self._stack[-1], items)

    @staticmethod
    def _fill(target: Any, items: list[Any]) -> None:
        if len(items) % 2:
            raise Malformed("its pickle has a key without a value")
        if isinstance(target, dict):
            for key, value in zip(items[::2], items[1::2], strict=True):
                target[key if type(key) is str else plain(key)] = value
        elif isinstance(target, Uncalled):
            target.pairs.extend(zip(items[::2], items[1::2], strict=True))
        else:
            raise Malformed("its pickle sets an item of something that is no dict")
