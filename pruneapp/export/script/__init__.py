"""A history as a script of plain ``torch.nn.utils.prune``, to be cited and run by anybody."""

from pruneapp.export.script.writing import Script, script_of, write_script

__all__ = ["Script", "script_of", "write_script"]
