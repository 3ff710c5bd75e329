"""Options of `zoo.teach` and `zoo.fine_tune`: two names of one, and names that do not exist."""

import numpy as np
import pytest

import zoo
from weights_cache.common.errors import ZooError
from zoo.transfer import teaching
from zoo.transfer.tuning import tuning

EXAMPLES = {"a": [np.zeros((9, 9, 3), np.uint8)], "b": [np.full((9, 9, 3), 99, np.uint8)]}


class ChosenError(Exception):
    """Ends a call where the network is chosen."""


def chosen_by(monkeypatch, module, name, call) -> str:
    """The name of the network that a call asks for."""

    def choose(network, **_):
        raise ChosenError(network)

    monkeypatch.setattr(module, name, choose)
    with pytest.raises(ChosenError) as found:
        call()
    return found.value.args[0]


@pytest.mark.parametrize("option", ["features", "model"])
def test_both_names_mean_the_network(option, monkeypatch):
    given = {option: "posenet.tiny"}
    for module, name, verb in (
        (teaching, "feature_extractor", zoo.teach),
        (tuning, "load", zoo.fine_tune),
    ):
        call = lambda verb=verb: verb(EXAMPLES, **given)  # noqa: E731
        assert chosen_by(monkeypatch, module, name, call) == "posenet.tiny"


@pytest.mark.parametrize("verb", [zoo.teach, zoo.fine_tune])
def test_wrong_options(verb):
    with pytest.raises(ZooError, match="are one option under two names: leave one out"):
        verb(EXAMPLES, features="posenet.tiny", model="mobilenet.v1_100_quant")
    with pytest.raises(ZooError, match=r"unknown option 'seeds' of \w+: did you mean 'seed'"):
        verb(EXAMPLES, seeds=3)
    with pytest.raises(ZooError, match="valid options: source, targets, .*features"):
        verb(EXAMPLES, base="posenet.tiny")
