"""Sessions of onnxruntime: their outputs, and statistics of the inputs of their weights.

onnxruntime is not imported here: the script creates the session. Its ``run`` method is replaced on
the object while something is recorded. For statistics, the values that weights are multiplied by
are added as outputs of a second session of the same graph.
"""

from __future__ import annotations

import contextlib
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable

from pruneapp_worker.pipe import ContractError

if TYPE_CHECKING:  # torch computes statistics and agreement, and is not needed for metrics
    import torch

# Field numbers of onnx.proto3: the graph of a model, an output of a graph, the name of a value.
GRAPH, OUTPUT, NAME = 7, 12, 1
FOLDER_OF_DATA = "session.model_external_initializers_file_folder_path"


def sessions_in(model: Any, depth: int = 0) -> list[Any]:
    """Return the sessions in the result of `load`, also in tuples, dicts and attributes.

    Of objects the attributes `session` and `model` are searched. At most three levels deep.
    """
    if hasattr(model, "run") and hasattr(model, "get_inputs") and hasattr(model, "get_modelmeta"):
        return [model]
    inner = list(model) if isinstance(model, (tuple, list)) else []
    inner += model.values() if isinstance(model, dict) else []
    if not inner:
        inner = [getattr(model, name, None) for name in ("session", "model")]
    return [one for part in inner if depth < 3 for one in sessions_in(part, depth + 1)]


def root_session(model: Any, path: str) -> Any:
    """Return the session created from a path, or else the first one of unknown origin.

    None without a session. Raises `ContractError` if all sessions were created from other files.
    """
    found = sessions_in(model)
    others = [one for one in found if is_made_from_another(one, path)]
    if found and len(others) == len(found):
        raise ContractError(
            f"The session that load returned was made from '{path_of(others[0])}', not from the "
            f"path that load was given ('{path}').",
            "Let load(path) make the session from path.",
        )
    return next((one for one in found if is_made_from(one, path)), None) or next(
        (one for one in found if one not in others), None
    )


def path_of(session: Any) -> str:
    """Return the file that a session was created from; "" for bytes, or if unknown."""
    return str(getattr(session, "_model_path", None) or "")


def is_made_from(session: Any, path: str) -> bool:
    """Return whether a session was created from a file: by its path, or by equal bytes."""
    if path_of(session):
        return os.path.realpath(path_of(session)) == os.path.realpath(path)
    data = getattr(session, "_model_bytes", None)
    return data is not None and data == Path(path).read_bytes()


def is_made_from_another(session: Any, path: str) -> bool:
    """Return whether a session was created from the path of another file."""
    return bool(path_of(session)) and not is_made_from(session, path)


class GraphSession:
    """The session of a model; `products` are those of its weights with values of the graph.

    Its weights cannot be read or changed.
    """

    def __init__(self, session: Any, path: str, products: list[dict[str, Any]]) -> None:
        self.session = session
        self.products = products
        self._path = Path(path)

    def digest_tensors(self) -> list[tuple[str, str, int]]:
        """Return an empty list: the tensors of a session cannot be read."""
        return []

    def device_of(self, _name: str) -> torch.device:
        """Return the device on which layers are solved."""
        import torch

        return torch.device("cpu")

    @contextlib.contextmanager
    def replace_run(self, call: Callable[..., Any]) -> Any:
        """Make ``session.run`` call `call` during the block.

        `call` gets the original method and the three arguments of ``run``.
        """
        original, own = self.session.run, vars(self.session).get("run")

        def run(output_names: Any, input_feed: Any, run_options: Any = None) -> Any:
            return call(original, output_names, input_feed, run_options)

        self.session.run = run
        try:
            yield
        finally:
            if own is None:
                del self.session.run
            else:
                self.session.run = own

    def watch(self) -> CallWatch:
        """Return a context manager that records whether the session was run."""
        return CallWatch(self)

    @contextlib.contextmanager
    def outputs(self, take: Callable[[Any], None]) -> Any:
        """Call `take` with the outputs of each run in the block, as tensors by their names.

        Only floating-point outputs; those of integers if there are no others.
        """

        def call(original: Any, names: Any, feeds: Any, options: Any) -> Any:
            """Run the session, pass its outputs to `take`, and return them."""
            found = original(names, feeds, options)
            named = zip(self._names(names), found)
            arrays = {name: one for name, one in named if hasattr(one, "dtype")}
            floats = {name: one for name, one in arrays.items() if one.dtype.kind == "f"}
            whole = {name: one for name, one in arrays.items() if one.dtype.kind in "iu"}
            take({name: tensor_of(one) for name, one in (floats or whole).items()})
            return found

        with self.replace_run(call):
            yield

    def _names(self, names: Any) -> list[str]:
        return list(names or [output.name for output in self.session.get_outputs()])

    def collect(
        self,
        activations: Any,
        grams: Any,
        run: Any,
        path: str,
        *,
        other_state: Any = None,
        kept: Any = None,
        only: bool = False,
    ) -> list[dict[str, Any]]:
        """Run inputs with `run`, and write sums over the inputs of the weights; see `report`.

        `only` leaves out all weights but `grams`.

        Raises `ContractError` for two states (`other_state`), or if no input was recorded.
        """
        if other_state is not None:
            raise ContractError("Two states of an ONNX model cannot be run side by side.")
        products = [p for p in self.products if not only or p["weight"] in grams]
        sums = ProductSums(activations, products, grams)
        with self._sum_inputs(sums), activations.full_precision():
            run()
        return self._write_report(activations, sums, path, kept)

    def count(
        self, activations: Any, name: str, run: Any, path: str
    ) -> tuple[list[dict[str, Any]], int]:
        """Run the session once with `run`, the function `name`, and count rows of inputs.

        As `activations.count`; raises `ContractError` if the session is not run.
        """
        sums = ProductSums(activations, self.products, (), counts=True)
        extents: list[int] = []

        def after(feeds: dict[str, Any]) -> None:
            first = next(iter(feeds.values()), None)
            extents.append(first.shape[0] if first is not None and first.ndim else 0)
            raise activations.Enough

        with self._sum_inputs(sums, after), contextlib.suppress(activations.Enough):
            run()
        if not extents or not extents[0]:
            raise ContractError(
                f"{name}() does not run the session, so multiply-adds cannot be counted.",
                "Call session.run in it, or define calibrate(session) that does.",
            )
        return self._write_report(activations, sums, path), extents[0]

    def _write_report(
        self, activations: Any, sums: ProductSums, path: str, kept: Any = None
    ) -> list[dict[str, Any]]:
        """Write the sums to `path`, and return their descriptions; see `activations.report`.

        Raises `ContractError` if there are none.
        """
        with Path(path).open("wb") as file:
            found = activations.report(sums, file, kept)
        if not found:
            raise ContractError(
                "No input of a Conv, Gemm or MatMul with a weight was recorded.",
                "Call session.run(…) of the session that load returned, in the same thread.",
            )
        return found

    @contextlib.contextmanager
    def _sum_inputs(self, sums: ProductSums, after: Any = None) -> Any:
        """Add the inputs of weights in each run of the block; then call `after` with the feeds.

        Runs are computed by a second session that has the recorded values as outputs; the script
        gets the outputs that it requested.
        """
        declared = {one.name for one in self.session.get_inputs()}
        values = [v for v in dict.fromkeys(p["value"] for p in self.products) if v not in declared]
        outputs = {one.name for one in self.session.get_outputs()}
        recording = self._with_outputs([value for value in values if value not in outputs])

        def call(_original: Any, names: Any, feeds: Any, options: Any) -> Any:
            """Run the recording session, add its values, and return the outputs `names`."""
            wanted = self._names(names)
            every = list(dict.fromkeys((*wanted, *values)))
            found = dict(zip(every, recording.run(every, feeds, options)))
            arrays = {name: array_of(feed) for name, feed in feeds.items()}
            sums.add({**{value: found[value] for value in values}, **arrays})
            if after is not None:
                after(arrays)
            return [found[name] for name in wanted]

        with self.replace_run(call):
            yield

    def _with_outputs(self, names: list[str]) -> Any:
        """Return a new session of the same graph with the values `names` as additional outputs."""
        outputs = b"".join(field(OUTPUT, field(NAME, name.encode())) for name in names)
        # Protocol buffers merge repeated message fields, so these outputs are appended to the
        # graph's.
        data = self._path.read_bytes() + field(GRAPH, outputs)
        options = self.session.get_session_options()
        options.add_session_config_entry(FOLDER_OF_DATA, str(self._path.parent))
        return type(self.session)(data, options, providers=self.session.get_providers())


class CallWatch:
    """Records in `seen` whether a session is run in the block."""

    def __init__(self, graph: GraphSession) -> None:
        self.seen = False
        self._replacement = graph.replace_run(self._on_run)

    def _on_run(self, original: Any, names: Any, feeds: Any, options: Any) -> Any:
        self.seen = True
        return original(names, feeds, options)

    def __enter__(self) -> CallWatch:  # noqa: PYI034 - typing.Self needs Python 3.11
        self._replacement.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._replacement.__exit__(*error)


class ProductSums:
    """Sums over the inputs of weights, with the attributes that `activations.report` reads."""

    def __init__(
        self, activations: Any, products: list[dict[str, Any]], grams: Any, *, counts: bool = False
    ) -> None:
        self._activations = activations
        self._products = products
        self._counts = counts
        self.grams = set(grams)
        self.seen: dict[str, dict[Any, Any]] = {}
        self.sizes = {one["weight"]: math.prod(one["shape"]) for one in products}
        self.devices = dict.fromkeys(self.sizes, "cpu")
        order = {value: i for i, value in enumerate(dict.fromkeys(p["value"] for p in products))}
        self.runs: dict[str, int] = {}
        for product in products:
            self.runs.setdefault(product["weight"], order[product["value"]])

    def add(self, values: dict[str, Any]) -> None:
        """Add the inputs of one run, by the names of the values.

        Missing and empty values, and those that are not floating-point, are ignored.
        """
        rows: dict[Any, Any] = {}
        for product in self._products:
            value = values.get(product["value"])
            if value is None or value.dtype.kind != "f" or not value.size:
                continue
            if product["op"] == "matmul":
                self._add_rows(product, value, rows)
            else:
                self._add_patches(product, tensor_of(value))

    def _sums(self, product: dict[str, Any], parts: int, columns: int) -> Any:
        name = product["weight"]
        places = self.seen.setdefault(name, {})
        key = (0, self.sizes[name], product["transposed"], parts)
        if key not in places:
            places[key] = self._activations.Sums(parts, columns, grams=name in self.grams)
        return places[key]

    def _add_rows(self, product: dict[str, Any], value: Any, rows: dict[Any, Any]) -> None:
        """Add the inputs of a matrix product; `rows` caches what products of one run share."""
        key = (product["value"], product["columns"], product["scale"])
        if key not in rows:
            matrix = tensor_of(value)
            if product["columns"] and matrix.dim() > 1:
                matrix = matrix.transpose(-1, -2)
            matrix = matrix.reshape(-1, matrix.shape[-1])
            rows[key] = matrix * product["scale"] if product["scale"] != 1 else matrix
            if not self._counts:
                rows[key] = self._activations.Rows([rows[key]])
        found = rows[key]
        columns = product["shape"][0 if product["transposed"] else 1]
        sums = self._sums(product, 1, columns)
        if self._counts:
            sums.counts += found.shape[0]
        else:
            sums.add(found.rows.shape[0], *found.moments, found.grams)

    def _add_patches(self, product: dict[str, Any], image: torch.Tensor) -> None:
        """Add the inputs of a convolution."""
        import torch

        kernel, groups = tuple(product["shape"][2:]), product["group"]
        ones, zeros = (1,) * len(kernel), (0,) * len(kernel)
        strides, dilations = product["strides"], product["dilations"]
        if product["op"] == "deconv":  # each pixel is a row
            kernel = strides = dilations = ones
        else:
            image = torch.nn.functional.pad(image, padding_of(product, image.shape[2:]))
        patches = self._activations.Patches(image, groups, strides, dilations, zeros, kernel)
        sums = self._sums(product, groups, patches.columns)
        if self._counts:
            sums.counts += patches.count
        else:
            sums.add(patches.count, *patches.moments(), patches.grams)


def padding_of(product: dict[str, Any], sizes: Any) -> list[int]:
    """Return the padding of a convolution, in the format of ``torch.nn.functional.pad``.

    `sizes` are those of the image along each dimension, which automatic padding depends on.
    """
    pads, automatic = list(product["pads"]), product["auto_pad"]
    count = len(sizes)
    if automatic == "VALID":
        pads = [0] * (2 * count)
    elif automatic.startswith("SAME"):
        for axis, size in enumerate(sizes):
            stride = product["strides"][axis]
            extent = (product["shape"][2 + axis] - 1) * product["dilations"][axis] + 1
            total = max(0, (-(-size // stride) - 1) * stride + extent - size)
            less, more = total // 2, total - total // 2
            upper = automatic == "SAME_UPPER"
            pads[axis], pads[count + axis] = (less, more) if upper else (more, less)
    return [
        amount for axis in reversed(range(count)) for amount in (pads[axis], pads[count + axis])
    ]


def array_of(feed: Any) -> Any:
    """Return an input as a numpy array."""
    import numpy as np

    return np.asarray(feed.numpy() if hasattr(feed, "numpy") else feed)


def tensor_of(array: Any) -> torch.Tensor:
    """Return a numpy array as a tensor."""
    import numpy as np
    import torch

    return torch.from_numpy(np.ascontiguousarray(array))


def field(number: int, data: bytes) -> bytes:
    """Return an encoded protocol buffers field."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def varint(value: int) -> bytes:
    """Return a number encoded as a protocol buffers varint."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
