"""Every kernel against TensorFlow, in a process of its own: ``python -m tests.core.ops.tf_oracle``."""
