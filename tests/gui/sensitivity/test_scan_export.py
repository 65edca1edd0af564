"""The report of an export names the state and the data that it was made with."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from tests.gui.sensitivity.test_scan_data import allocate


def test_the_report_of_an_export_names_state_note_and_data(encoder, encoder_scans, texts, tmp_path):
    user = encoder
    encoder_scans.scan("50%, 90%", text=texts[0])
    allocate(user, encoder_scans)
    user.document.rename(1, "the <keeper>")
    user.document.annotate(1, "for the talk")
    dialog = user.open_export()
    user.click(dialog.beside.account, QPoint(8, dialog.beside.account.height() // 2))
    user.click(dialog.go)
    user.wait(lambda: user.workbench.export.report is not None)
    said = user.workbench.export.report.as_text()
    user.close_report()
    assert "State: 1: the <keeper>\nNote: for the talk\n" in said
    (page,) = tmp_path.glob("*-report.html")
    page = page.read_text(encoding="utf-8")
    assert "<p>State: 1: the &lt;keeper&gt;</p>" in page
    assert ">Note: for the talk</p>" in page
    assert "Allocated by a scan on the text calib.txt (SHA-256 " in page
    assert "<td>Calibration data: calib.txt</td>" in page
