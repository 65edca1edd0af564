"""What every command does: views, session and jobs, connected.

Connections are to bound methods of objects that live in the main thread.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from pruneapp.document.document import DocumentChanged
from pruneapp.document.selection import select
from pruneapp.document.step import Row, Step
from pruneapp.errors import ParameterError, PruneAppError, SelectionError
from pruneapp.gui import questions
from pruneapp.gui.actions import RECENT
from pruneapp.gui.exporting import Exporting
from pruneapp.gui.extras import Extras
from pruneapp.gui.forecasting import Forecasting
from pruneapp.gui.jobs import JobProgress, Jobs
from pruneapp.gui.session import Session
from pruneapp.gui.settings import DEVICE, THEME, WARN_OWN_METHODS
from pruneapp.gui.views.commands import CommandPalette, KeySheet
from pruneapp.gui.views.form import FormRow, MethodForm
from pruneapp.gui.views.parts import numbers
from pruneapp.gui.views.tree import build_nodes
from pruneapp.methods import registry
from pruneapp.methods.declaration import Method

if TYPE_CHECKING:
    from pruneapp.gui.looking import Looking
    from pruneapp.gui.views.pictures.pages import PicturePages
    from pruneapp.gui.window import MainWindow

# A check mark set on a module reaches the form this much later: several come in one go.
SETTLE_MS = 30
FILES = "*.safetensors *.pt *.pth *.th *.bin *.ckpt *.json"


class Workbench(QObject):
    """The window at work.

    Parameters
    ----------
    window
        Its views.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.settings = window.settings
        self.jobs = Jobs(self)
        self.session = Session(self.jobs, self.settings, build_nodes, self)
        self.extras = Extras(self.session, self.jobs, self)
        self.forecasting = Forecasting(
            self.session,
            self.jobs,
            panel=window.forecast,
            ask=self.step,
            extras=self.extras,
            parent=self,
        )
        self.exporting = Exporting(self.session, self.jobs, window.appearance, window)
        self.pages: PicturePages | None = None
        self.looking: Looking | None = None
        self.first_file: tuple[Path, str | None] | None = None
        self._on_action: dict[int, Callable[[], None]] = {}
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._on_settled)
        self._connect()
        self._offer_methods()
        self._show_recent()
        self._enable()

    def _connect(self) -> None:
        window, session, jobs = self.window, self.session, self.jobs
        for name, call in self._commands().items():
            window.actions_[name].triggered.connect(call)
        window.actions_[f"theme_{self.settings.get(THEME)}"].setChecked(True)
        window.dropped.connect(self.open)
        window.empty.openRequested.connect(self.ask_file)
        window.empty.sampleRequested.connect(session.open_sample)
        window.empty.recentRequested.connect(self._on_recent)
        window.tree.focusChanged.connect(self._on_focus)
        window.tree.checkedChanged.connect(self._on_checked)
        window.form.changed.connect(self.forecasting.refresh)
        window.form.maskFileRequested.connect(self._ask_masks)
        window.form.scoresFileRequested.connect(self._ask_scores)
        window.forecast.action.pruneRequested.connect(self.prune)
        window.history.jumpRequested.connect(session.jump)
        window.job_status.cancelRequested.connect(self.cancel)
        window.notices.actionRequested.connect(self._on_notice_action)
        window.device.activated.connect(self._on_device)
        session.opening.connect(self._on_opening)
        session.opened.connect(self._on_opened)
        session.closed.connect(self._on_closed)
        session.changed.connect(self._on_changed)
        session.refused.connect(self.refuse)
        self.extras.changed.connect(self._on_extras)
        self.exporting.sized.connect(self._on_sized)
        self.exporting.exported.connect(self._on_exported)
        self.forecasting.changed.connect(self._on_preview)
        jobs.started.connect(window.job_status.set_job)
        jobs.progressed.connect(self._on_progress)
        jobs.idle.connect(window.job_status.set_idle)
        jobs.failed.connect(self._on_bug)

    def _commands(self) -> dict[str, Callable[[], object]]:
        window = self.window
        return {
            "open": self.ask_file,
            "open_folder": self.ask_folder,
            "sample": self.session.open_sample,
            "state_dict": self.choose_state_dict,
            "export": self.exporting.ask,
            "close": self.close,
            "quit": window.close,
            "undo": self.session.undo,
            "redo": self.session.redo,
            "find": self._find,
            "check_shown": window.tree.check_all_shown,
            "check_none": window.tree.uncheck_all,
            "check_usual": self._check_usual,
            "copy_name": self._copy_name,
            "page_weights": self._page_0,
            "page_distribution": self._page_1,
            "page_channels": self._page_2,
            "page_model": self._page_3,
            "mask": self._toggle_mask,
            "zoom_in": self._zoom_in,
            "zoom_out": self._zoom_out,
            "zoom_fit": self._zoom_fit,
            "previous_tensor": self._previous_tensor,
            "next_tensor": self._next_tensor,
            "history_back": self._history_back,
            "history_forward": self._history_forward,
            "theme_system": self._theme_system,
            "theme_light": self._theme_light,
            "theme_dark": self._theme_dark,
            "prune": self.prune,
            "cancel": self.cancel,
            "make_final": self._make_final,
            "load_method": self.load_method,
            "commands": self._show_commands,
            "guide": self._show_guide,
            "keys": self._show_keys,
            "about": self._show_about,
        }

    # -- starting and ending --------------------------------------------------------------------

    @Slot()
    def finish(self) -> None:
        """Load the pictures, look for devices, open what was named: after the first paint."""
        if self.pages is None:
            from pruneapp.gui.looking import Looking
            from pruneapp.gui.views.pictures.pages import PicturePages

            self.pages = PicturePages()
            self.window.set_pictures(self.pages)
            self.window.appearance.dress(self.pages)
            self.looking = Looking(
                self.session, self.jobs, self.forecasting, self.pages, parent=self
            )
            self.pages.tensorClicked.connect(self.window.tree.set_focused)
            self.pages.tensorClicked.connect(self.looking.look_at)
            self.pages.failed.connect(self._say)
            self.pages.pageChanged.connect(self._on_page)
            self._on_page(self.pages.page)
        if self.first_file is not None:
            (path, state_dict), self.first_file = self.first_file, None
            self.session.open(path, state_dict)
        self.jobs.answer(
            lambda _job: _devices(), on_result=self._offer_devices, on_error=self.refuse
        )

    def may_close(self) -> bool:
        """Ask about a running job and about work that is not exported; False to stay."""
        if self.jobs.busy and not questions.stop_jobs(self.window):
            return False
        return self._may_lose()

    def shut_down(self) -> None:
        """End all work and let go of the file."""
        self._settle.stop()
        self.forecasting.drop()
        self.jobs.stop()
        self.session.close()

    def _may_lose(self) -> bool:
        if not self.session.unexported:
            return True
        answer = questions.unexported(self.window)
        if answer == "export":
            self.exporting.ask()
        return answer == "discard"

    # -- opening --------------------------------------------------------------------------------

    @Slot(object)
    def open(self, path: Path) -> None:
        """Open a file, after asking about work that would be lost."""
        if self.pages is None:
            self.first_file = (path, None)
        elif self._may_lose():
            self.session.open(path)

    def ask_file(self) -> None:
        """Let the person choose a file."""
        name, _ = QFileDialog.getOpenFileName(
            self.window,
            self.tr("Open a checkpoint"),
            str(self._folder()),
            self.tr("Checkpoints ({patterns});;All files (*)").format(patterns=FILES),
        )
        if name:
            self.open(Path(name))

    def ask_folder(self) -> None:
        """Let the person choose a folder of shards."""
        name = QFileDialog.getExistingDirectory(
            self.window, self.tr("Open a folder of shards"), str(self._folder())
        )
        if name:
            self.open(Path(name))

    def choose_state_dict(self) -> None:
        """Let the person switch to another dict of tensors in the file."""
        document = self.session.document
        if document is None:
            return
        contents = document.checkpoint.contents
        key = questions.state_dict(self.window, contents.state_dicts, contents.state_dict)
        if key is not None and key != contents.state_dict and self._may_lose():
            self.session.open(document.checkpoint.path, key)

    def close(self) -> None:
        """Close the document, after asking about work that would be lost."""
        if self._may_lose():
            self.session.close()

    def look_at_file(self) -> None:
        """Notice whether another program changed the open file."""
        document = self.session.document
        if document is None or self.jobs.busy:
            return
        try:
            document.checkpoint.verify_unchanged()
        except PruneAppError as error:
            self.refuse(error)

    def _folder(self) -> Path:
        recent = self.settings.recent
        return recent[0].parent if recent else Path.home()

    def _on_recent(self, path: str) -> None:
        self.open(Path(path))

    def _on_opening(self, _path: Path) -> None:
        self.window.notices.clear()
        self._on_action.clear()

    def _on_opened(self, nodes: object) -> None:
        window, session = self.window, self.session
        document = session.document
        assert document is not None
        window.tree.set_nodes(nodes)  # type: ignore[arg-type]  # made by build_nodes
        window.form.set_kinds(tuple(dict.fromkeys(r.kind for r in session.rows if r.kind)))
        window.forecast.set_shown_names({row.name: row.shown for row in session.rows})
        self._show_numbers()
        for notice in session.notices:
            action = ""
            window.notices.set_notice(
                notice.text, action=action, details=notice.details, trouble=False
            )
        contents = document.checkpoint.contents
        if len(contents.state_dicts) > 1:
            number = window.notices.set_notice(
                self.tr("This file holds {n} state dicts; '{key}' is shown.").format(
                    n=len(contents.state_dicts), key=contents.state_dict
                ),
                action=self.tr("Choose another…"),
                trouble=False,
            )
            self._on_action[number] = self.choose_state_dict
        name = document.checkpoint.path.name
        window.setWindowTitle(f"{name} — Pruneapp" if name else "Pruneapp")
        window.show_document(there=True)
        first = next((r.name for r in session.rows if r.by_default), "") or next(
            (r.name for r in session.rows), ""
        )
        window.tree.set_focused(first)
        self._on_focus(first)
        self._show_recent()
        self._enable()
        self._on_checked()

    def _on_closed(self) -> None:
        self.window.notices.clear()
        self.window.model_status.clear()
        self.window.forecast.clear()
        self.window.setWindowTitle("Pruneapp")
        self.window.show_document(there=False)
        self._enable()

    # -- the step -------------------------------------------------------------------------------

    def step(self) -> Step:
        """Return what the form and the check marks ask for; raises `PruneAppError`."""
        request = self.window.form.request()
        document = self.session.document
        if request is None or document is None:
            errors = self.window.form.errors()
            raise ParameterError(errors[0] if errors else "Nothing is open.")
        rows = [
            Row(self._names(row), row.method, row.values, row.pattern or row.kind)
            for row in request.rows
        ]
        return Step(tuple(rows), "global" if request.scope == "global" else "local")

    def _names(self, row: FormRow) -> tuple[str, ...]:
        document = self.session.document
        assert document is not None
        if row.pattern:
            return select(document.checkpoint, [row.pattern])
        if row.kind:
            names = tuple(
                r.name
                for r in self.session.rows
                if r.kind == row.kind and not r.why_not and len(r.shape) > 1
            )
            if not names:
                raise SelectionError(f"There is no {row.kind} here that can be pruned.")
            return names
        names = self.window.tree.checked()
        if not names:
            raise SelectionError("No tensor is checked.", remedy="Check one in the tree.")
        return names

    def prune(self) -> None:
        """Do what the form says."""
        if self.window.forecast.action.button.isEnabled():
            self.forecasting.prune()

    def cancel(self) -> None:
        """Stop the running job; without one, forget what the form asks beside its defaults."""
        if self.forecasting.cancel() or self.jobs.cancel_visible():
            return
        self.window.form.reset()
        self.forecasting.refresh()

    def _make_final(self) -> None:
        document = self.session.document
        if document is not None:
            names = tuple(n for n in self.window.tree.checked() if document.masks.pruned(n))
            if names:
                self.session.make_final(names)
            else:
                self.refuse(
                    SelectionError(
                        "Nothing is pruned in the checked tensors, so nothing can be made final."
                    )
                )

    def _on_checked(self) -> None:
        self._settle.start()

    def _on_settled(self) -> None:
        names = self.window.tree.checked()
        rows = [self.session.by_name[n] for n in names if n in self.session.by_name]
        shapes = {row.shape for row in rows}
        kinds = {row.kind for row in rows}
        kind = kinds.pop() if len(kinds) == 1 else ""
        if len({len(shape) for shape in shapes}) == 1 and shapes:
            several = zip(*shapes, strict=True)
            shape = tuple(s[0] if len(set(s)) == 1 else -1 for s in several)
            self.window.form.set_context(shape, kind)
        else:
            self.window.form.set_context((), kind)
        document = self.session.document
        left = None
        if document is not None:
            left = sum(row.numel - document.masks.pruned(row.name) for row in rows)
        self.window.form.set_left(left)
        self.forecasting.refresh()

    def _on_preview(self) -> None:
        preview = self.forecasting.preview
        after = None
        if preview is not None:
            after = {t.name: t.after for t in preview.report.tensors}
        self.window.tree.set_preview(after)

    def _on_extras(self) -> None:
        self.window.form.set_mask_file(self.extras.mask_file)
        self.window.form.set_scores_file(self.extras.scores_file)
        self.forecasting.refresh()

    def _ask_masks(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self.window, self.tr("Load masks"), str(self._folder())
        )
        if name:
            self.extras.load_masks(Path(name))

    def _ask_scores(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self.window, self.tr("Load importance scores"), str(self._folder())
        )
        if name:
            self.extras.load_scores(Path(name))

    # -- what changed ---------------------------------------------------------------------------

    def _on_changed(self, change: DocumentChanged) -> None:
        if change.names:
            self._show_numbers(change.names)
            self._settle.start()
        self._enable()

    def _show_numbers(self, names: tuple[str, ...] | None = None) -> None:
        document = self.session.document
        assert document is not None
        window, masks = self.window, document.masks
        if names is None:
            names = tuple(masks)
        window.tree.set_sparsity({name: masks.pruned(name) for name in names})
        total = sum(row.numel for row in self.session.rows)
        pruned = sum(masks.pruned(name) for name in masks)
        window.model_status.set_model(total, pruned)
        window.forecast.set_model(total, pruned)

    def _enable(self) -> None:
        document = self.session.document
        actions = self.window.actions_
        there = document is not None
        for name in (
            *("close", "export", "find", "check_shown", "check_none", "check_usual", "copy_name"),
            *("page_weights", "page_distribution", "page_channels", "page_model", "mask"),
            *("zoom_in", "zoom_out", "zoom_fit", "previous_tensor", "next_tensor", "prune"),
            "make_final",
        ):
            actions[name].setEnabled(there)
        several = document is not None and len(document.checkpoint.contents.state_dicts) > 1
        actions["state_dict"].setEnabled(several)
        items = document.items if document is not None else ()
        position = document.position if document is not None else 0
        can_undo = document is not None and document.can_undo
        can_redo = document is not None and document.can_redo
        undo, redo = actions["undo"], actions["redo"]
        undo.setEnabled(can_undo)
        redo.setEnabled(can_redo)
        actions["history_back"].setEnabled(can_undo)
        actions["history_forward"].setEnabled(can_redo)
        undone = items[position].label if can_undo else ""
        redone = items[position + 1].label if can_redo else ""
        undo.setText(
            self.tr("&Undo {step}").format(step=_short(undone)) if undone else self.tr("&Undo")
        )
        redo.setText(
            self.tr("&Redo {step}").format(step=_short(redone)) if redone else self.tr("&Redo")
        )
        self.window.history.set_items(items, position)

    def _on_sized(self, nbytes: int | None) -> None:
        text = self.tr("Export…")
        if nbytes is not None:
            text = self.tr("Export… {size}").format(size=numbers.size(nbytes))
        self.window.actions_["export"].setIconText(text)

    def _on_exported(self, _report: object) -> None:
        self._enable()

    # -- messages -------------------------------------------------------------------------------

    @Slot(object)
    def refuse(self, error: PruneAppError) -> None:
        """Say why something cannot be done, above the picture."""
        self.window.notices.set_notice(
            f"{error.sentence} {error.remedy}".strip(), details=error.details
        )

    def report_bug(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        """Show a bug of ours."""
        if issubclass(kind, KeyboardInterrupt):
            self.window.close()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        self._on_bug(f"{kind.__name__}: {error}", text)

    def _on_bug(self, sentence: str, trace: str) -> None:
        self.window.notices.set_notice(
            self.tr(
                "Something went wrong in Pruneapp itself ({what}). Nothing was changed."
            ).format(what=sentence[:200]),
            details=trace,
        )

    def _say(self, text: str) -> None:
        self.window.notices.set_notice(text)

    def _on_notice_action(self, number: int) -> None:
        call = self._on_action.get(number)
        if call is not None:
            call()

    def _on_progress(self, progress: JobProgress) -> None:
        label = progress.label
        row = self.session.by_name.get(label)
        self.window.job_status.set_progress(
            progress.done, progress.total, row.shown if row is not None else label
        )

    # -- looking --------------------------------------------------------------------------------

    def _on_focus(self, name: str) -> None:
        if self.looking is not None:
            self.looking.look_at(name)

    def _find(self) -> None:
        self.window.tree_dock.raise_()
        self.window.tree.focus_filter()

    def _check_usual(self) -> None:
        self.window.tree.set_checked([r.name for r in self.session.rows if r.by_default])
        self._on_checked()

    def _copy_name(self) -> None:
        QGuiApplication.clipboard().setText(self.window.tree.focused())

    def _set_page(self, page: int) -> None:
        if self.pages is not None:
            self.pages.set_page(page)
            self.pages.pageChanged.emit(page)

    def _on_page(self, page: int) -> None:
        names = ("page_weights", "page_distribution", "page_channels", "page_model")
        self.window.actions_[names[page]].setChecked(True)

    def _page_0(self) -> None:
        self._set_page(0)

    def _page_1(self) -> None:
        self._set_page(1)

    def _page_2(self) -> None:
        self._set_page(2)

    def _page_3(self) -> None:
        self._set_page(3)

    def _toggle_mask(self) -> None:
        if self.pages is not None:
            self.pages.weights.toggle_mask()

    def _zoom_in(self) -> None:
        if self.pages is not None:
            self.pages.weights.zoom_in()

    def _zoom_out(self) -> None:
        if self.pages is not None:
            self.pages.weights.zoom_out()

    def _zoom_fit(self) -> None:
        if self.pages is not None:
            self.pages.weights.fit()

    def _previous_tensor(self) -> None:
        self.window.tree.step_focus(-1)

    def _next_tensor(self) -> None:
        self.window.tree.step_focus(1)

    def _history_back(self) -> None:
        self.session.undo()

    def _history_forward(self) -> None:
        self.session.redo()

    # -- settings and methods -------------------------------------------------------------------

    def _theme_system(self) -> None:
        self._set_theme("system")

    def _theme_light(self) -> None:
        self._set_theme("light")

    def _theme_dark(self) -> None:
        self._set_theme("dark")

    def _set_theme(self, choice: str) -> None:
        self.settings.set(THEME, choice)
        self.window.appearance.choose(choice)

    def _offer_devices(self, devices: tuple[tuple[str, str], ...]) -> None:
        box = self.window.device
        box.clear()
        for key, label in devices:
            box.addItem(label, key)
        found = box.findData(self.settings.get(DEVICE))
        box.setCurrentIndex(max(found, 0))

    def _on_device(self, index: int) -> None:
        self.settings.set(DEVICE, self.window.device.itemData(index))
        self.forecasting.refresh()

    def _offer_methods(self) -> None:
        self.window.form.set_methods(
            [
                MethodForm(
                    name=m.name,
                    label=m.label,
                    help=m.help,
                    formula=m.formula,
                    params=m.params,
                    scopes=m.scopes,
                    granularity=m.granularity,
                    takes_mask=m.takes_mask,
                    takes_scores=m.takes_scores,
                )
                for m in registry.METHODS.values()
            ]
        )

    def load_method(self) -> None:
        """Let the person choose a .py file with a method, and warn that this runs its code."""
        name, _ = QFileDialog.getOpenFileName(
            self.window,
            self.tr("Load a pruning method"),
            str(self._folder()),
            self.tr("Python files (*.py)"),
        )
        if not name:
            return
        if self.settings.get(WARN_OWN_METHODS) and not questions.run_code(self.window, name):
            return

        def load(_job: object) -> tuple[Method, ...]:
            from pruneapp.prune.own_methods import load_file

            return load_file(Path(name))

        self.jobs.submit(
            self.tr("Loading a method"),
            load,
            on_result=self._on_methods,
            on_error=self.refuse,
        )

    def _on_methods(self, methods: tuple[Method, ...]) -> None:
        for method in methods:
            registry.register(method)
        self._offer_methods()
        names = ", ".join(method.label for method in methods)
        self.window.notices.set_notice(
            self.tr("Loaded: {names}.").format(names=names), trouble=False
        )
        self.forecasting.refresh()

    # -- help -----------------------------------------------------------------------------------

    def _show_commands(self) -> None:
        palette = CommandPalette(self.window.actions_.values(), self.window)
        palette.open()
        palette.finished.connect(palette.deleteLater)

    def _show_keys(self) -> None:
        more = (
            ("Space", self.tr("Check or uncheck in the tree")),
            ("← → ↑ ↓", self.tr("Move the cursor in the picture")),
            ("Home, End", self.tr("First and last weight of the cursor's row")),
        )
        sheet = KeySheet(self.window.actions_.values(), more, self.window)
        sheet.open()
        sheet.finished.connect(sheet.deleteLater)

    def _show_guide(self) -> None:
        questions.guide(self.window)

    def _show_about(self) -> None:
        questions.about(self.window)

    def _show_recent(self) -> None:
        recent = self.settings.recent
        self.window.empty.set_recent([str(path) for path in recent])
        menu = self.window.actions_.menus[RECENT]
        menu.clear()
        for number, path in enumerate(recent, 1):
            action = menu.addAction(f"&{number} {str(path).replace('&', '&&')}")
            action.setData(str(path))
            action.triggered.connect(self._on_recent_action)
        menu.setEnabled(bool(recent))

    def _on_recent_action(self) -> None:
        action = self.sender()
        if action is not None:
            self._on_recent(action.data())  # type: ignore[attr-defined]  # only actions call this


def _short(label: str) -> str:
    return label if len(label) <= 40 else label[:39] + "…"


def _devices() -> tuple[tuple[str, str], ...]:
    from pruneapp.kernels.devices import available

    found = tuple((device.key, device.label) for device in available())
    return (("auto", f"Automatic ({found[-1][1] if len(found) > 1 else found[0][1]})"), *found)
