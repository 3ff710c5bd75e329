"""YOLO networks from files that find boxes."""

from typing import Any, NoReturn

from weights_cache.common.errors import ZooError
from zoo.pipeline.loaded_model import LoadedModel
from zoo.pipeline.verb_signatures import ImageSource
from zoo.pipeline.yolo import YoloModel


class YoloDetector(YoloModel):
    """A YOLO network that finds boxes."""

    place = "detection", "yolo:YoloDetector"


class TurnedDetector(LoadedModel):
    """A YOLO network that finds turned boxes, which no result here has: `predict` alone."""

    def detect(self, image: ImageSource, **options: Any) -> NoReturn:
        """Refuse an image, with any options of `zoo.detect`.

        Raises:
            ZooError: always.
        """
        raise ZooError(
            f"{self.name} finds turned boxes (task 'obb' in its metadata), which results of detect "
            f"do not have: predict gives what the network computes"
        )
