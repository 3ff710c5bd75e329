"""Types and meanings of the arguments of layers, by which their classes are documented.

An entry for one class, such as "ReLU.max_value", goes before that of the name alone.
"""

from textwrap import fill
from typing import NamedTuple

from core.layers.lowering.arguments import REQUIRED, Arguments


class ArgumentDoc(NamedTuple):
    """The type of an argument as checkers read it, and its meaning."""

    type: str
    meaning: str


_LENGTHS = "int | Sequence[int]"
_NUMBER = "float"
_EDGES = "int | Sequence[int] | Sequence[Sequence[int]]"

ARGUMENT_DOCS: dict[str, ArgumentDoc] = {
    name: ArgumentDoc(*doc)
    for name, doc in {
        # Of convolutions and pooling.
        "filters": ("int", "number of filters: channels of the result."),
        "kernel_size": (_LENGTHS, "lengths of the window; a number counts for every axis."),
        "strides": (_LENGTHS, "steps of the window."),
        "pooling.strides": (f"{_LENGTHS} | None", "steps of the window, by default its lengths."),
        "padding": (
            'Literal["valid", "same", "causal"]',
            '"valid" stays inside of the input; "same" pads with zeros, so that the result has the '
            'input\'s lengths divided by the strides; "causal", of one axis, pads the begin alone.',
        ),
        "padding.padding": (_EDGES, "zeros at the edges of each axis: a number, or pairs of them."),
        "output_padding": (f"{_LENGTHS} | None", "values added at the ends of the result."),
        "data_format": (
            'Literal["channels_last", "channels_first"] | None',
            'the axis of the channels; by default "channels_last".',
        ),
        "dilation_rate": (_LENGTHS, "distances of the window's values."),
        "groups": ("int", "number of groups of channels, each with filters of its own."),
        "GroupNormalization.groups": ("int", "number of groups; -1 for one per channel."),
        "depth_multiplier": ("int", "number of filters for each channel."),
        "pool_size": (_LENGTHS, "lengths of the window."),
        "keepdims": ("bool", "keep the reduced axes with length 1."),
        "output_size": (_LENGTHS, "lengths of the result, whatever those of the input are."),
        "cropping": (_EDGES, "values to cut off the edges of each axis: a number, or pairs."),
        "size": (_LENGTHS, "how often each value is repeated along each axis."),
        # Of many layers.
        "units": ("int", "number of outputs."),
        "activation": (
            "ActivationLike",
            'name of an activation, such as "relu", a function of a tensor, or None for none.',
        ),
        "use_bias": ("bool", "add a bias."),
        "axis": (
            "int | Sequence[int]",
            "axis, or axes, to work along; negative ones from the end.",
        ),
        "BatchNormalization.axis": ("int", "axis of the channels."),
        "GroupNormalization.axis": ("int", "axis of the channels."),
        "Concatenate.axis": ("int", "axis along which to concatenate."),
        "Normalization.axis": (
            "int | Sequence[int] | None",
            "axes with statistics of their own; None for one mean and one variance.",
        ),
        "seed": ("int | None", "where the layer's sequence of random numbers begins."),
        "rate": (_NUMBER, "share of values to drop, from 0 to 1."),
        "stddev": (_NUMBER, "standard deviation of the noise, from 0."),
        "noise_shape": (
            "Sequence[int | None] | None",
            "shape of the random decisions, with 1 for axes that share one; None for that of the "
            "input.",
        ),
        "l1": (_NUMBER, "factor of the sum of absolute values."),
        "l2": (_NUMBER, "factor of the sum of squares."),
        # Of activations.
        "max_value": ("float | None", "largest result, by default any."),
        "negative_slope": (_NUMBER, "factor of values below the threshold."),
        "threshold": (_NUMBER, "value below which the result is that of the negative part."),
        "alpha": (_NUMBER, "factor of the negative part."),
        "theta": (_NUMBER, "values up to this become 0."),
        "shared_axes": (
            "int | Sequence[int] | None",
            "axes, counted from 1, that share one factor, such as (1, 2) of images.",
        ),
        # Of shapes.
        "target_shape": (
            "Sequence[int]",
            "shape of the result without the batch; one length may be -1.",
        ),
        "dims": ("Sequence[int]", "order of the axes, counted from 1, without the batch."),
        "n": ("int", "how often to repeat."),
        # Of embeddings and attention.
        "input_dim": ("int", "number of different integers: 1 + the largest."),
        "output_dim": ("int", "length of the vector for each integer."),
        "mask_zero": ("bool", "mask the positions of 0, for layers that take masks."),
        "mask_value": (_NUMBER, "steps with this in all values are masked."),
        "equation": ("str", "Einstein summation, such as 'abc,cd->abd'."),
        "output_shape": ("int | Sequence[int | None]", "shape of the result without the batch."),
        "MultiHeadAttention.output_shape": (
            "int | Sequence[int] | None",
            "lengths of the result's last axes, by default those of the query.",
        ),
        "bias_axes": ("str | None", "letters of the result along which the bias has values."),
        "num_heads": ("int", "number of heads."),
        "key_dim": ("int", "length of each head's queries and keys."),
        "value_dim": ("int | None", "length of each head's values, by default key_dim."),
        "head_dim": ("int", "length of each head."),
        "num_query_heads": ("int", "number of heads of queries."),
        "num_key_value_heads": ("int", "number of heads of keys and values."),
        "dropout": (_NUMBER, "share of inputs to drop in training, from 0 to 1."),
        "attention.dropout": (_NUMBER, "share of attention weights to drop in training."),
        "attention_axes": (
            "int | Sequence[int] | None",
            "axes of positions, by default all inner.",
        ),
        "sliding_window": ("int | None", "positions that are seen, by default all."),
        "flash_attention": ("bool | None", "accepted for Keras's sake; results are equal."),
        "use_gate": ("bool", "multiply the result by a gate."),
        "use_scale": ("bool", "multiply the scores by a weight."),
        "score_mode": ('Literal["dot", "concat"]', "how queries and keys are compared."),
        # Of normalisation.
        "momentum": (_NUMBER, "share of the moving statistics that stays at each step."),
        "epsilon": (_NUMBER, "added to the variance."),
        "center": ("bool", "add the weight beta."),
        "scale": ("bool", "multiply by the weight gamma."),
        "Rescaling.scale": ("float | Sequence[float]", "factor, or one per channel."),
        "mean": ("float | Sequence[float] | None", "mean, where it is known."),
        "variance": ("float | Sequence[float] | None", "variance, where it is known."),
        "invert": ("bool", "turn normalised values into those before."),
        # Of several inputs.
        "axes": ("int | Sequence[int]", "axis of both inputs, or one of each, to sum along."),
        "normalize": ("bool", "divide by the norms along the axes: the result is the cosine."),
        # Of images and numbers.
        "interpolation": ('Literal["nearest", "bilinear"]', "how values between pixels are made."),
        "height": ("int", "rows of the result."),
        "width": ("int", "columns of the result."),
        "crop_to_aspect_ratio": ("bool", "cut off what does not fit, instead of distorting."),
        "pad_to_aspect_ratio": ("bool", "pad, instead of distorting."),
        "antialias": ("bool", "smooth before making images smaller."),
        "offset": ("float | Sequence[float]", "summand, or one per channel."),
        "bin_boundaries": ("Sequence[float] | None", "numbers between which the bins lie."),
        "vocabulary": (
            "Sequence[str] | Sequence[int] | None",
            "texts or integers in the order of their numbers.",
        ),
        "max_tokens": ("int | None", "numbers in all, where results are padded to them."),
        "num_oov_indices": ("int", "numbers for what is not in the vocabulary, from 0."),
        "mask_token": ("str | int | None", "text or integer whose number is 0."),
        "oov_token": ("str | int", "what stands for unknown values in a vocabulary."),
        "idf_weights": (
            "Sequence[float] | None",
            'factor of each entry of the vocabulary, for output_mode="tf_idf".',
        ),
        "standardize": (
            'Literal["lower_and_strip_punctuation", "lower", "strip_punctuation"] | None',
            "change of the texts before they are split; letters beside a to z stay as they are.",
        ),
        "split": (
            'Literal["whitespace", "character"] | None',
            "what becomes a token; None for each text of `[batch, tokens]`.",
        ),
        "ngrams": (
            "int | Sequence[int] | None",
            "join so many neighbouring tokens: up to a number, or as many as each of several.",
        ),
        "output_sequence_length": (
            "int | None",
            "length of the rows of integers, by default that of the longest.",
        ),
        "ragged": ("bool", "accepted for Keras's sake; results are dense."),
        "StringLookup.invert": ("bool", "texts for numbers; not supported."),
        "IntegerLookup.invert": ("bool", "integers for numbers; not supported."),
        "pad_to_max_tokens": ("bool", "make vectors of max_tokens numbers."),
        "encoding": ("str", "of the texts, utf-8."),
        "num_bins": ("int | None", "number of bins, where Keras is to find the boundaries."),
        "sparse": ("bool", "accepted for Keras's sake; results are dense."),
        "tie_weights": ("bool", "use one weight in both directions."),
        "reverse_dtype": ("str | None", "accepted for Keras's sake."),
        "logit_soft_cap": ("float | None", "largest absolute value of the scores, by a tanh."),
        "num_tokens": ("int | None", "number of categories."),
        **dict.fromkeys(
            (
                "IntegerLookup.output_mode",
                "StringLookup.output_mode",
                "TextVectorization.output_mode",
            ),
            ('Literal["int", "one_hot", "multi_hot", "count", "tf_idf"]', "kind of the result."),
        ),
        "output_mode": ('Literal["multi_hot", "one_hot", "count", "int"]', "kind of the result."),
        # Of random images.
        "mode": (
            'Literal["horizontal", "vertical", "horizontal_and_vertical"]',
            "axes along which images may be turned over.",
        ),
        "factor": (
            "float | tuple[float, float]",
            "range of the random factors: the largest, or the lower and upper end.",
        ),
        "height_factor": ("float | tuple[float, float]", "range of the factors of the height."),
        "width_factor": (
            "float | tuple[float, float] | None",
            "range of the factors of the width; None where a zoom keeps the proportions.",
        ),
        "brightness_factor": ("float | tuple[float, float] | None", "range of brightness."),
        "contrast_factor": ("float | tuple[float, float] | None", "range of contrast."),
        "saturation_factor": ("float | tuple[float, float] | None", "range of saturation."),
        "hue_factor": ("float | tuple[float, float] | None", "range of hue."),
        "value_range": ("tuple[float, float]", "values of black and white."),
        "fill_mode": (
            'Literal["constant", "nearest", "reflect", "wrap"]',
            "values outside of the image.",
        ),
        "fill_value": ("float", 'value outside of the image for fill_mode="constant".'),
        "RandomErasing.fill_value": (
            "float | tuple[float, float, float] | None",
            "value of erased pixels, by default noise.",
        ),
        "RandomErasing.scale": ("float | tuple[float, float]", "range of the erased share."),
        # Of recurrent layers.
        "cell": (
            "Layer | Sequence[Layer]",
            "cell, or several, each on the results of the one before.",
        ),
        "cells": ("Sequence[Layer]", "cells, each on the results of the one before."),
        "layer": ("Layer", "layer to call."),
        "merge_mode": (
            'Literal["concat", "sum", "mul", "ave"] | None',
            "how both results become one; None returns both.",
        ),
        "backward_layer": ("Layer | None", "layer for the other direction, by default one alike."),
        "return_sequences": ("bool", "return the results of all steps, not of the last."),
        "return_state": ("bool", "return the states after the last step, too."),
        "go_backwards": ("bool", "begin with the last step."),
        "stateful": ("bool", "begin with the states at the end of the last batch."),
        "unroll": ("bool", "accepted for Keras's sake; results are equal."),
        "zero_output_for_mask": ("bool", "return zeros for masked steps."),
        "recurrent_activation": ("ActivationLike", "activation of the gates."),
        "recurrent_dropout": (_NUMBER, "share of the state to drop in training, from 0 to 1."),
        "unit_forget_bias": ("bool", "let the bias of the forget gate begin at 1."),
        "reset_after": ("bool", "apply the reset gate after the product with the state."),
    }.items()
}

#: Arguments about weights, by the end of their names.
_ABOUT_WEIGHTS = {
    "_initializer": (
        "InitializerLike",
        "first values of {}: name or object of `core.initializers`.",
    ),
    "_regularizer": ("RegularizerLike", "penalty on {}, see `core.regularizers`."),
    "_constraint": ("ConstraintLike", "applied to {} after each step, see `core.constraints`."),
}

#: Arguments of all layers.
COMMON_DOCS = {
    "name": ArgumentDoc("str | None", "unique name in a model."),
    "trainable": ArgumentDoc("bool", "whether training changes the weights."),
    "dtype": ArgumentDoc("str | None", 'only "float32".'),
    "input_shape": ArgumentDoc(
        "Sequence[int | None] | None", "shape of an input without the batch, of a first layer."
    ),
    "batch_input_shape": ArgumentDoc("Sequence[int | None] | None", "that with the batch."),
    "batch_size": ArgumentDoc("int | None", "length of the batch with input_shape."),
    "weights": ArgumentDoc("Sequence[np.ndarray] | None", "first values of all weights."),
}


def argument_doc(class_name: str, argument: str) -> ArgumentDoc:
    """Return type and meaning of an argument of a class.

    Raises:
        KeyError: the tables lack the argument.

    >>> argument_doc("Dense", "kernel_initializer").meaning
    'first values of the kernel: name or object of `core.initializers`.'
    """
    for key in (f"{class_name}.{argument}", f"{_group(class_name)}.{argument}", argument):
        if key in ARGUMENT_DOCS:
            return ARGUMENT_DOCS[key]
    if argument == "activity_regularizer":
        return ArgumentDoc("RegularizerLike", "penalty on the result, see `core.regularizers`.")
    for end, (kind, meaning) in _ABOUT_WEIGHTS.items():
        if argument.endswith(end):
            stem = argument.removesuffix(end).replace("_", " ")
            kernel = " kernel" if stem in ("recurrent", "depthwise", "pointwise") else ""
            return ArgumentDoc(kind, meaning.format(f"the {stem}{kernel}"))
    raise KeyError(argument)


def _group(class_name: str) -> str:
    """Return the group of classes that a class is of, for arguments with another meaning there."""
    for part, group in (
        ("Pooling", "pooling"),
        ("ZeroPadding", "padding"),
        ("Attention", "attention"),
    ):
        if part in class_name:
            return group
    return ""


def documentation(class_name: str, about: str, given: Arguments) -> str:
    """Return the documentation of a class: its text, its arguments, and its example.

    Args:
        class_name: name of the class.
        about: text of the class, see `core.layers.texts`; its example comes last.
        given: arguments of the class.

    >>> print(documentation("ELU", "Return values.", {"alpha": 1.0}))
    Return values.
    <BLANKLINE>
    Args:
        alpha: factor of the negative part.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.
    <BLANKLINE>
    Raises:
        CoreError: an argument or the shape of an input is invalid.
    """
    text, mark, example = about.partition(">>>")
    meanings = {name: _meaning(class_name, name, default) for name, default in given.items()}
    common = f"arguments of every `core.layers.Layer`: {', '.join(COMMON_DOCS)}."
    entries = [_entry(*each) for each in [*meanings.items(), ("**options", common)]]
    parts = [text, "\n".join(["Args:", *entries]), _RAISES, f"{mark}{example}"]
    return "\n\n".join(part.strip() for part in parts).strip()


_RAISES = "Raises:\n    CoreError: an argument or the shape of an input is invalid."


def _meaning(class_name: str, name: str, default: object) -> str:
    """Return the meaning of an argument, with whether it must be given."""
    meaning = argument_doc(class_name, name).meaning
    return f"{meaning.removesuffix('.')}; needed." if default is REQUIRED else meaning


def _entry(name: str, meaning: str) -> str:
    """Return the lines of an argument, indented."""
    return fill(f"{name}: {meaning}", 96, initial_indent=_INDENT, subsequent_indent=_INDENT * 2)


_INDENT = "    "
