"""Agreement with the unpruned model on seeded inputs, for ONNX models; onnxruntime runs them."""

from pruneapp_worker.seeded_graph import calibrate, load

__all__ = ["calibrate", "load"]
