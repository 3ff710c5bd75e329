"""Tests of the tf backend, which `tests.core.backends.test_on_tensorflow` runs in a process of their own."""
