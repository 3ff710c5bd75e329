"""Makes GLSL of passes: logical coordinates become numbers of values in buffers or textures."""
