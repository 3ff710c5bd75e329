"""Verification of models: `verify` compares all backends, each in a process of its own."""

import os
from collections.abc import Sequence

from zoo.verification.rows import Verification
from zoo.verification.variants import chosen_variants
from zoo.verification.verifier import SECONDS, Verifier


def verify(
    name: str | os.PathLike[str],
    *,
    backends: Sequence[str] | None = None,
    seed: int = 0,
    runs: int = 5,
    seconds: float = SECONDS,
) -> Verification:
    """Run a model on every backend, and compare what they compute with cpu tier 1.

    Each backend runs in a process of its own, so that a crash of one is a row of the result. The
    inputs are noise, for networks of images also a sample image, and goldens: inputs and outputs
    of other programs, from the folder ``reference`` of the model in the mirror of weights, or
    beside a model file. The limits are those of `zoo.verification.comparison`.

    Args:
        name: name of a pretrained model, with the models that it works with; or the path of a
            model, as `zoo.load` takes it.
        backends: ``"cpu"`` (tier 1, and tier 2 where llvmlite is), ``"cpu-tier-2"``, ``"shader"``,
            ``"shader-fragment"``, ``"tf"``; those that are named must be available. By default all
            that are, but for the fragment path.
        seed: seed of the noise.
        runs: how many runs are timed, 1 or more.
        seconds: time limit of a backend for loading the model, and for each input; above 0.

    Returns:
        The rows; ``passed`` says whether all differences keep their limits.

    Raises:
        ZooError: an unknown name or backend, an option out of range, or a model that cannot be
            read.
        WeightsError: the weights are missing.

    >>> import zoo
    >>> verification = zoo.verify("posenet.tiny", backends=["cpu"], runs=1)
    >>> verification.passed
    True
    >>> sorted({row.input for row in verification.rows if row.backend == "cpu tier 1"})
    ['golden astronaut', 'noise', 'sample image']
    """
    variants = chosen_variants(backends)
    with Verifier(variants, seed=seed, runs=runs, seconds=seconds) as verifier:
        rows = tuple(verifier.rows_of(name))
        return Verification(rows, verifier.facts)
