"""Objects that act while a model is trained, evaluated or asked, with Keras 3's names.

>>> import core
>>> stopping = core.callbacks.EarlyStopping(monitor="val_loss", patience=3)
>>> checkpoint = core.callbacks.ModelCheckpoint("best.keras", save_best_only=True)

``model.fit(x, y, callbacks=[stopping, checkpoint])`` calls them.
"""

from typing import TYPE_CHECKING

from core.callbacks.base import Callback
from core.callbacks.callback_list import CallbackList
from core.callbacks.checkpoints import ModelCheckpoint
from core.callbacks.functions import LambdaCallback
from core.callbacks.learning_rate import LearningRateScheduler, TerminateOnNaN
from core.callbacks.monitors import EarlyStopping, MonitorCallback, ReduceLROnPlateau
from core.callbacks.progress import ProgbarLogger
from core.callbacks.recorders import CSVLogger, CurvesImage, History
from core.callbacks.tensor_board import TensorBoard
from weights_cache.common.similar_names import missing_from

__all__ = [
    "CSVLogger",
    "Callback",
    "CallbackList",
    "CurvesImage",
    "CustomCallback",
    "EarlyStopping",
    "History",
    "LambdaCallback",
    "LearningRateScheduler",
    "ModelCheckpoint",
    "MonitorCallback",
    "ProgbarLogger",
    "ReduceLROnPlateau",
    "TensorBoard",
    "TerminateOnNaN",
    "early_stopping",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)

#: Names of TensorFlow.js.
early_stopping, CustomCallback = EarlyStopping, LambdaCallback
