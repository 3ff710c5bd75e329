"""Classification: its functions are in `zoo.tasks.classification.verbs`."""

from zoo.catalog.choices import Choices
from zoo.catalog.option import MIRROR, by_name, count, flag

#: Families of the names ``family.variant`` in entries.py.
FAMILIES = ("mobilenet", "nsfwjs")

#: Type that the reader of a file finds beside a network -> the class of such models.
FILE_MODELS = {
    "Bundle": "teachable:TeachableModel",
    "ClassLabels": "labelled:LabelledModel",
    "Ml5Classes": "ml5:Ml5Classifier",
    "Ml5Numbers": "ml5:Ml5Regressor",
    "YoloClasses": "labelled:LabelledModel",
}

#: The class of models from files whose task the caller names.
FILE_TASK = "labelled:LabelledModel"

#: Verb -> its models. `zoo/docs/models.md` has the measurements behind each choice.
MODELS = {
    verb: Choices(
        default="mobilenet.v2_100_quant", fast="mobilenet.v1_025", best="mobilenet.v2_100_quant"
    )
    for verb in ("classify", "infer")
}

#: Verb -> its options.
OPTIONS = {
    "classify": by_name(count("top_k", "maximum number of labels", 3), MIRROR),
    "infer": by_name(
        flag("embedding", "return the features before the last layers, not the main output"),
        MIRROR,
    ),
}
