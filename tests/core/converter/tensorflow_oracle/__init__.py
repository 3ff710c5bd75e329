"""Small frozen graphs and SavedModels that TensorFlow writes, with what it computes with them.

``python -m tests.core.converter.tensorflow_oracle FOLDER`` writes all of them into a folder;
``--zip FILE`` into the archive beside the tests instead, which the suite reads without TensorFlow.
"""
