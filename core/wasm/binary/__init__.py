"""The binary format of modules, read and written."""
