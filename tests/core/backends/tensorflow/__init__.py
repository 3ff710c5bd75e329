"""Tests of the tf backend; `tests.core.backends.test_on_tensorflow` runs them in a process."""
