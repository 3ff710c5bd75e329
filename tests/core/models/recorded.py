"""What Keras gave, as `keras_values.py` wrote it."""

import json
from pathlib import Path

KERAS = json.loads(Path(__file__).with_name("keras_values.json").read_text())
