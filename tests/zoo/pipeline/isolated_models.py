"""Models that cost too much, and children that say what cannot be."""

import numpy as np

from weights_cache import write_weights

FLOAT, INT, BOOL = ({"type": f"DT_{name}"} for name in ("FLOAT", "INT32", "BOOL"))


def node(name, op, *inputs, **attributes):
    return {"name": name, "op": op, "input": list(inputs), "attr": attributes}


def placeholder(*lengths):
    shape = {"shape": {"dim": [{"size": str(n)} for n in lengths]}}
    return node("x", "Placeholder", dtype=FLOAT, shape=shape)


def write_loop(folder):
    """A loop of TensorFlow 1 that goes on as long as x equals itself."""
    nodes = [
        placeholder(),
        node("enter", "Enter", "x", T=FLOAT, frame_name={"s": "bG9vcA=="}),
        node("merge", "Merge", "enter", "next", T=FLOAT),
        node("equal", "Equal", "merge", "merge", T=FLOAT),
        node("go", "LoopCond", "equal"),
        node("switch", "Switch", "merge", "go", T=FLOAT),
        node("next", "NextIteration", "switch:1", T=FLOAT),
        node("exit", "Exit", "switch", T=FLOAT),
    ]
    write_weights(folder, {}, topology={"node": nodes})


def write_fill(folder, count, times=1):
    """Some values of so many floats, all added to x."""
    nodes = [placeholder(), node("one", "Const", dtype=FLOAT), node("dims", "Const", dtype=INT)]
    names = [f"fill{i}" for i in range(times)]
    nodes += [node(name, "Fill", "dims", "one", T=FLOAT) for name in names]
    nodes += [node(f"add{name}", "AddV2", name, "x", T=FLOAT) for name in names]
    nodes += [node("axis", "Const", dtype=INT)]
    adds = [f"add{name}" for name in names]
    n = {"i": str(times)}
    nodes += [node("y", "ConcatV2", *adds, "axis", N=n, T=FLOAT)]
    side = int(count**0.5)
    constants = {
        "one": np.float32(1),
        "dims": np.int32([side, side]),
        "axis": np.int32(0),
    }
    write_weights(folder, constants, topology={"node": nodes})
