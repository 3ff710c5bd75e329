"""The pretrained gesture models."""

from zoo.catalog.entry import Entry, Preprocess

ENTRIES = [
    Entry(
        name="gesture.keypoints",
        task="gestures",
        model="keypoint_classifier:KeypointClassifier",
        weights="hand-gesture-keypoint-classifier",
        file="keypoint_classifier.tflite",
        preprocess=Preprocess(),  # it takes hands, not images
        output="Identity",
        embedding="sequential/dense_1/Relu;sequential/dense_1/BiasAdd",  # 10 values
        title="Hand sign from 21 keypoints (open, close, pointer), by Kazuhito Takahashi",
        labels="hand_signs_3",
        defaults={"score_threshold": 0.5},
        batch=True,
        # Its app.py flips each camera image before keypoints are found, so the network knows
        # mirrored hands; keypoint.csv has both sides of hands or both hands.
        limits=(
            "A hand that shows another sign gets one of its three all the same, with scores up to "
            "0.8. It learned from mirrored camera images: keypoints are flipped for it, unless "
            "the image is a mirror image. Hands that point downwards are rare in its training "
            "data."
        ),
        accuracy=(
            "97.8 % of every 25th row of its own training data. Of hands in 40 images that it does "
            "not know: 8 of 8 with four fingers are open, 4 of 4 that point up are pointer, 4 of "
            "6 with the thumb down are close."
        ),
    ),
]
