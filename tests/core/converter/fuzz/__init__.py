"""Small models of every format, written field by field without the formats' own libraries.

`tests.reliability.fuzz` damages them.
"""
