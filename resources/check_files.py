def files_of(path, *patterns):
    """Return the files of weights at a path, or of a list of files."""
    if not isinstance(path, (str, Path)):
        return [Path(file) for file in path]
    path = Path(path)
    if path.is_file():
        return [path]
    found = sorted(f for p in patterns for f in path.glob(p) if f.is_file())
    # An index may list shards in subfolders.
    found = found or sorted(f for p in patterns for f in path.rglob(p) if f.is_file())
    # If an export has replaced an original, the original is in the same folder as NAME.orig.EXT.
    kept = {f for f in found if Path(f.stem).suffix.rstrip("0123456789") == ".orig"}
    return [f for f in found if f not in kept] or found


def refuse_wrong_files():
    """Exit if a file of the original is missing or was changed since the export."""
    for name, changed in ORIGINAL_WEIGHTS.items():
        file = Path(name)
        if not file.is_file():
            raise SystemExit(
                f"'{file}' does not exist. It contains weights of the original: write where it is "
                "now into ORIGINAL_WEIGHTS in this file."
            )
        for exported in files_of(EXPORTED, "*"):
            if file.samefile(exported):
                raise SystemExit(
                    f"The model cannot be compared with itself: '{file}' is both a file of the "
                    "original and of the export. Correct ORIGINAL_WEIGHTS or EXPORTED in this file."
                )
        if changed is not None and file.stat().st_mtime_ns != changed:
            raise SystemExit(
                f"'{file}' has changed since this script was written, so it may not be the "
                "original any more: an export keeps that as NAME.orig.EXT. Write where the "
                "original is into ORIGINAL_WEIGHTS in this file, with None for the time."
            )
