"""Models for web pages: a WebAssembly module, weights, a script, and a page."""
