"""Our own layouts inside of a plain safetensors file: packed masks, and the compact format.

``__metadata__.format`` says which; ``__metadata__.pruneapp`` says, as JSON, what is packed how.
Both are documented in docs/formats.md, so that anybody can read them without this program.
"""
