"""Untrusted models, read and run in a separate process: ``zoo.load(.., isolate=True)``.

`models` has the model classes of the caller, `process` the parent's side of the child process,
`child` the code of the child, and `messages` and `arrays` the protocol between them. The parent
does not trust the child: no pickles, and every length, dtype and name is checked.
"""
