"""Transfer learning: models of a user's own, from features of pretrained networks.

`teach` makes one of a folder of images; `fine_tune` trains the last layers of a network as well;
`KNNClassifier` and `Head` take features, which `feature_extractor` and `zoo.infer` compute.
"""

from importlib import import_module

from weights_cache.common.similar_names import no_attribute

#: Public name -> its module here, imported when the name is first used.
_MODULES = {
    "FeatureExtractor": "features",
    "Head": "heads",
    "KNNClassifier": "knn",
    "Prediction": "predictions",
    "Scores": "scores",
    "TaughtModel": "taught_model",
    "feature_extractor": "features",
    "fine_tune": "tuning",
    "teach": "teaching",
}


def __getattr__(name: str) -> object:
    """Import the module of a public name."""
    if name not in _MODULES:
        raise no_attribute(__name__, name, _MODULES)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*_MODULES]
