"""Models from strangers, read and run in a process of their own: ``zoo.load(.., isolate=True)``.

`models` has what the caller holds, `process` the child as its parent sees it, `child` what runs in
it, and `messages` and `arrays` what they say to each other. The parent believes nothing that the
child says: no pickles, and every length, dtype and name is checked.
"""
