"""Every kernel against TensorFlow, in its own process: ``python -m tests.core.ops.tf_oracle``."""
