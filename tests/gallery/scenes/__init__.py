"""What each app of the gallery sees in its test and on its picture, one module for each.

A module has the name of its app, and the functions ``source() -> Played``, frames without any
person but those drawn or in the public domain, and ``ready(page: Shown) -> None``, which waits
until the page is worth a picture.
"""
