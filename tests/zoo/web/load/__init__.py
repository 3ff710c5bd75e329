"""A million requests of right and wrong kinds: python -m tests.zoo.web.load --help."""
