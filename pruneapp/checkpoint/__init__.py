"""Opening checkpoints, headers only and never running code; writing files so that none is lost."""
