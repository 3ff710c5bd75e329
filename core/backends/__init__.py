"""One folder per backend; a kernel family has the same file name in each."""
