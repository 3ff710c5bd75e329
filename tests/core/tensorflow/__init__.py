"""Tests of the tf backend, which `tests.core.test_on_tensorflow` runs in a process of their own."""
