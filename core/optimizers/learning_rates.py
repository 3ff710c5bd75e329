"""The learning rate of an optimizer as a number that programs can assign to."""

from typing import Any, Protocol


class _Owner(Protocol):
    @property
    def learning_rate(self) -> float: ...

    @learning_rate.setter
    def learning_rate(self, value: float) -> None: ...


class LearningRate(float):
    """The learning rate of an optimizer at one moment: a float with Keras's `assign`.

    >>> import core
    >>> optimizer = core.optimizers.Adam(0.5)
    >>> optimizer.learning_rate.assign(0.25)
    >>> optimizer.learning_rate
    0.25
    """

    _owner: _Owner

    def __new__(cls, value: float, owner: _Owner) -> "LearningRate":
        """Make the number for an optimizer."""
        made = super().__new__(cls, value)
        made._owner = owner
        return made

    def assign(self, value: float) -> None:
        """Set the learning rate of the optimizer, as ``optimizer.learning_rate = value`` does.

        Raises:
            CoreError: the value is no finite number, or the learning rate follows a schedule.
        """
        self._owner.learning_rate = value

    def __reduce__(self) -> Any:
        return float, (float(self),)
