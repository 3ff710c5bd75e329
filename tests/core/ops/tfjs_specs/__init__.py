"""TensorFlow.js's own specs, run on our kernels.

The npm package of tfjs-core ships its test suite. Here it runs in Node on a backend whose every
kernel is a call of `core.run_kernel` in this process: attributes, gradients and memory counts are
TensorFlow.js's, the numbers ours. The same suite on its own cpu backend says which specs count.

    python -m tests.core.ops.tfjs_specs [--backend tf] [--only REGEX] [--report FILE]

needs Node 18 and npm; the packages go into the user's cache folder. ``known_differences.txt`` lists
the specs that we fail on purpose, each with its reason, and ``known_differences_tf.txt`` those that
the tf backend fails beside them.
"""
