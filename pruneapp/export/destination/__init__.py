"""Where an export goes: a file, a folder, shards, and what lies beside the weights."""
