"""The record of an op: inputs, attributes, shape rule, documentation, gradients, traits, spellings.

`core.engine.registry.op` declares one, and `core.engine.dispatch` runs it.

The rule is a function with the signature of the op: first tensors, annotated as ``TensorLike``,
``TensorLike | None`` (may be absent) or ``Sequence[TensorLike]`` (several), then attributes, of
any other type. The engine calls it with a Spec for each tensor, as which `spec_of` and `specs_of`
show them to type checkers. It returns the Spec of the result, a tuple of Specs for several
results, or None where the shape depends on the data.

A rule may also say what it is called with: ``Spec``, ``Spec | None`` and ``list[Spec]`` are
tensors, too, and so are positional parameters without annotation.
"""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import (
    Any,
    Concatenate,
    Generic,
    NamedTuple,
    ParamSpec,
    TypeVar,
    get_args,
    get_origin,
    overload,
)

from core.engine.argument_types import TensorLike
from core.engine.dtypes import DTYPES, KINDS
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.errors import CoreError

Rule = Callable[..., Any]

#: Runs an op: the op, its inputs, all its attributes → the result or results.
Dispatch = Callable[["Op", tuple, dict[str, Any]], Any]

#: The parameters of an op, those after the first one, and what a call returns.
Parameters = ParamSpec("Parameters")
Others = ParamSpec("Others")
Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

_ONE, _OPTIONAL, _SEVERAL = "one", "optional", "several"

#: Kinds of tensors that an op takes, by annotation.
_INPUTS: dict[Any, str] = {
    Spec: _ONE,
    TensorLike: _ONE,
    Tensor: _ONE,
    Spec | None: _OPTIONAL,
    TensorLike | None: _OPTIONAL,
    list[Spec]: _SEVERAL,
    Sequence[TensorLike]: _SEVERAL,
}


class Gradient(NamedTuple):
    """The gradient rule of one input, and the arguments of the rule."""

    function: Rule
    #: Name of each parameter after g, its kind ("input", "y", "spec" or "attribute"), and the
    #: input's position.
    sources: tuple[tuple[str, str, int], ...]


class Traits(NamedTuple):
    """Properties that passes, plans and backends may rely on, whatever the op computes.

    Attributes:
        elementwise: of float32 inputs the result is float32, and each of its values is made of one
            value of each input, which broadcast: it may be fused into the op that gives an input.
        view: a result of the input's dtype is the input's data in another shape.
        random: the values differ from run to run.
        data_dependent: the shape of a result depends on values. It is not declared: the rule's
            return annotation admits None.
        heavy: the arithmetic outweighs the making of a plan.
    """

    elementwise: bool = False
    view: bool = False
    random: bool = False
    data_dependent: bool = False
    heavy: bool = False


#: Traits of an op that declares none, and the most frequent others.
PLAIN, ELEMENTWISE = Traits(), Traits(elementwise=True)


class Spellings(NamedTuple):
    """Names of an op in the formats of models, where the meaning is exactly the op's.

    A name is enough if the inputs have the op's order, and attributes the op's names. Everything
    else is a row of a table: `core.graph.node_types`, `core.converter.tflite`, `core.layers`.

    Attributes:
        tensorflow: node types; the first is the one that readers of other formats write.
        tflite: the builtin operator; a pair of inputs may have a fused activation.
        keras: functions of ``keras.ops``, in small letters without underscores.
        activations: activations of Keras, for ops of one input without attributes.
    """

    tensorflow: tuple[str, ...] = ()
    tflite: str = ""
    keras: tuple[str, ...] = ()
    activations: tuple[str, ...] = ()


#: Spellings of an op that no format has as a single node.
UNSPELLED = Spellings()


class _Alias(str):
    """A type that signatures show by its short name, also where it is a long union."""

    __slots__ = ()
    __repr__ = str.__str__


#: The type that users see of each kind.
_TAKEN = {
    _ONE: _Alias("TensorLike"),
    _OPTIONAL: _Alias("TensorLike | None"),
    _SEVERAL: _Alias("Sequence[TensorLike]"),
}


@overload
def spec_of(x: None) -> None: ...


@overload
def spec_of(x: TensorLike) -> Spec: ...


@overload
def spec_of(x: TensorLike | None) -> Spec | None: ...


def spec_of(x: Any) -> Any:
    """Return the spec of a tensor in a shape rule: the argument itself, by another type.

    Users give the op a tensor there, the engine gives the rule its spec.
    """
    return x


def specs_of(tensors: Sequence[TensorLike]) -> list[Spec]:
    """Return the specs of several tensors in a shape rule; see `spec_of`."""
    return tensors  # type: ignore[return-value]


class Op(Generic[Parameters, Result_co]):
    """An operation by name. Calling it runs the kernel of the active backend."""

    def __init__(
        self,
        rule: Rule,
        *,
        name: str = "",
        doc: str | None = None,
        kernel_name: str = "",
        js_names: Mapping[str, str] | None = None,
        results: type[tuple] | None = None,
        gradients: Mapping[str, Rule | None] | None = None,
        promote: bool | tuple[str, ...] = False,
        input_dtype: str | Mapping[str, str] | None = None,
        traits: Traits = PLAIN,
        method: bool = False,
        spellings: Spellings = UNSPELLED,
    ):
        """Describe the op; `core.engine.registry.register` makes it known.

        Args:
            rule: the shape rule (see above).
            name: Python name, by default the rule's.
            doc: documentation, by default the rule's.
            kernel_name: TensorFlow.js's name, by default the Python name in CamelCase.
            js_names: TensorFlow.js's names of inputs and attributes, where they are not the
                Python names in camelCase.
            results: the class of several results, a named tuple.
            gradients: for each input that has one, its gradient rule.
            promote: convert all inputs, or the named ones, to their common dtype first.
            input_dtype: what the inputs must be, one of `core.engine.dtypes.KINDS` for all or for
                each by name: ``"float32"`` (integers and bools are converted), ``"bool"``,
                ``"int32"``, ``"number"`` (bools become int32), ``"real"`` (the same without
                complex64), ``"complex64"``, ``"string"`` or ``"no string"``.
            traits: properties that passes, plans and backends may rely on.
            method: make the op a method of tensors, too, if it is declared when `core` is imported.
            spellings: the op's names in model formats.
        """
        self.rule, self.name = rule, name or rule.__name__
        self.kernel_name = kernel_name or "".join(w.capitalize() for w in self.name.split("_"))
        self.traits, self.method, self.spellings = traits, method, spellings
        self.__doc__, self.__name__ = doc or rule.__doc__, self.name
        #: The class of several results, and their names.
        self.results: Callable[..., Any] | None = results
        self.outputs: tuple[str, ...] = getattr(results, "_fields", ())
        self._read_parameters()
        self._read_input_dtypes(input_dtype)
        names = {n: camel_case(n) for n in self.inputs + self.attributes}
        self.js_names = {**names, **(js_names or {})}
        self.promote = self.inputs if promote is True else promote or ()
        self.gradients: dict[str, Gradient] = {}
        for input_name, gradient in (gradients or {}).items():
            if gradient is not None:
                self._add_gradient(input_name, gradient)

    def _read_parameters(self) -> None:
        code = self.rule.__code__
        by_position = code.co_varnames[: code.co_argcount]
        by_keyword = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
        kinds = {"return": Spec, **inspect.get_annotations(self.rule, eval_str=True)}
        inputs = _tensors(self.name, by_position, by_keyword, kinds)
        self.inputs, self.count = tuple(inputs), len(inputs)
        self.attributes = by_position[self.count :] + by_keyword
        last = self.rule.__defaults__ or ()
        defaults = dict(zip(by_position[len(by_position) - len(last) :], last, strict=True))
        defaults |= self.rule.__kwdefaults__ or {}
        self.defaults: dict[str, Any] = {n: v for n, v in defaults.items() if n not in inputs}
        self._names = frozenset(self.attributes)
        self.required_attributes = self._names - set(self.defaults)
        self.simple_attributes: dict[str, type] = {
            n: kinds[n] for n in self.attributes if kinds.get(n) in (bool, float, str)
        }
        self.list_inputs = {n for n, kind in inputs.items() if kind == _SEVERAL}
        self.optional_inputs = {n for n, kind in inputs.items() if kind == _OPTIONAL}
        if _admits_none(kinds["return"]):
            self.traits = self.traits._replace(data_dependent=True)
        self._count_arguments()

    def _count_arguments(self) -> None:
        required = tuple(n for n in self.inputs if n not in self.optional_inputs)
        absent_last = self.inputs[: len(required)] == required
        #: The least number of inputs, if inputs that may be absent come last.
        self.least = len(required) if absent_last else self.count
        # The most arguments that are no attributes, of a call without keywords.
        self._most = -1 if self.required_attributes else self.count

    def _read_input_dtypes(self, dtypes: str | Mapping[str, str] | None) -> None:
        each = dtypes if isinstance(dtypes, Mapping) else dict.fromkeys(self.inputs, dtypes)
        kinds = {name: kind for name, kind in each.items() if kind}
        #: Dtypes that each input may have and the ones they become; None for any.
        self.kinds = tuple(KINDS[kinds[n]] if n in kinds else None for n in self.inputs)
        #: Dtypes that need no conversion when all inputs have the same.
        self.ready_dtypes = {
            d for d in DTYPES if all(k is None or k.get(d) == d for k in self.kinds)
        }

    def _add_gradient(self, input_name: str, function: Rule) -> None:
        code = function.__code__
        if not code.co_argcount:
            raise CoreError(
                f"op {self.name!r}: the rule for its gradient takes g, the gradient of the result, "
                f"first, as in `lambda g: g`"
            )
        parameters = code.co_varnames[1 : code.co_argcount]
        if code.co_flags & inspect.CO_VARKEYWORDS:
            parameters += tuple(n for n in self.attributes if n not in parameters)
        known = {"y", *self.inputs, *self.attributes, *(f"{n}_spec" for n in self.inputs)}
        unknown = {input_name} - set(self.inputs) | set(parameters) - known
        if unknown:
            raise CoreError(f"op {self.name!r}: its gradient names unknown {sorted(unknown)}")
        if function.__name__ in ("_", "<lambda>"):
            _rename(function, f"{self.name}_grad_{input_name}")
        self.set_gradient(input_name, function, parameters)

    def set_gradient(self, input_name: str, function: Rule, parameters: Sequence[str]) -> None:
        """Attach the gradient of one input; the rule gets g, and the parameters by name."""
        known = {"y": ("y", -1), **dict.fromkeys(self.attributes, ("attribute", -1))}
        for position, name in enumerate(self.inputs):
            known |= {name: ("input", position), f"{name}_spec": ("spec", position)}
        self.gradients[input_name] = Gradient(function, tuple((p, *known[p]) for p in parameters))

    def gradient(self, input_name: str) -> Callable[[Rule], Rule]:
        """Attach the gradient of one input.

        The decorated function takes ``g``, the gradient of the result (a list of gradients for an
        op with several results), and by name whatever else it needs: an input, ``y`` (the
        result), ``<input>_spec``, an attribute, or as ``**how`` all other attributes. Only the
        tensors that it names are kept.
        The tape undoes broadcasting.
        """

        def add(function: Rule) -> Rule:
            self._add_gradient(input_name, function)
            return function

        return add

    @property
    def __signature__(self) -> inspect.Signature:
        """The rule's, with tensors for specs and the type of a call's result."""
        found = inspect.signature(self.rule, eval_str=True)
        given = [self._as_called(each) for each in found.parameters.values()]
        return found.replace(parameters=given, return_annotation=self._returned())

    def _as_called(self, parameter: inspect.Parameter) -> inspect.Parameter:
        name = parameter.name
        if name not in self.inputs:
            return parameter
        kind = _SEVERAL if name in self.list_inputs else _ONE
        return parameter.replace(
            annotation=_TAKEN[_OPTIONAL if name in self.optional_inputs else kind]
        )

    def _returned(self) -> Any:
        if self.results is not None:
            return self.results
        found = inspect.get_annotations(self.rule, eval_str=True).get("return")
        several = any(get_origin(kind) is tuple for kind in (found, *get_args(found)))
        return _Alias("list[Tensor]" if several else "Tensor")

    def __call__(self, *inputs: Parameters.args, **attributes: Parameters.kwargs) -> Result_co:
        """Run the op on tensors, or on anything that `core.tensor` takes."""
        tensors: tuple[Any, ...] = inputs
        given: dict[str, Any] = attributes
        if given:
            names = given.keys()
            usual = self.least <= len(tensors) <= self.count
            if usual and self.required_attributes <= names <= self._names:
                given = self._frozen(given)
            else:
                tensors, given = self._bind(tensors, given)
        elif len(tensors) > self._most:
            tensors, given = self._bind(tensors, given)
        else:
            given = self.defaults
        outputs = _dispatch(self, tensors, given)
        return outputs if self.results is None else self.results(*outputs)

    @overload
    def __get__(
        self: "Op[Concatenate[Any, Others], Result]", instance: Tensor, owner: type
    ) -> Callable[Others, Result]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> "Op[Parameters, Result_co]": ...

    def __get__(self, instance: Any, owner: type) -> Any:
        """The op with a tensor as its first argument, of which it is a method, else the op."""
        return MethodType(self, instance) if isinstance(instance, Tensor) else self

    def _bind(self, inputs: tuple, given: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Assign arguments given by keyword or position to parameters, and fill in defaults.

        Attributes may follow the tensors by position, as in ``core.reshape(x, (2, 3))``.
        """
        given |= self._positional(inputs[self.count :], given)
        inputs = inputs[: self.count]
        for name in self.inputs[len(inputs) :]:
            if name not in given and name not in self.optional_inputs:
                break
            inputs += (given.pop(name, None),)
        unknown = [name for name in given if name not in self.attributes]
        if unknown and unknown[0] in self.inputs:
            raise CoreError(
                f"{self.name} takes the tensors {list(self.inputs)}: {unknown[0]!r} is given "
                f"twice, or one before it is missing"
            )
        if unknown:
            raise CoreError(
                f"{self.name} has no attribute {unknown[0]!r}: it takes {list(self.attributes)}"
            )
        missing = self.required_attributes - set(given)
        if missing:
            raise CoreError(f"{self.name} needs the attribute {sorted(missing)[0]!r}")
        return inputs, self._frozen(given)

    def _frozen(self, given: dict[str, Any]) -> dict[str, Any]:
        """All attributes, as immutable values."""
        attributes = {**self.defaults, **given}
        for name, value in given.items():
            if type(value) not in _PLAIN:
                attributes[name] = value = _frozen(value)
            kind = self.simple_attributes.get(name)
            if kind is not None and type(value) is not kind:
                self._check_simple(name, value)
        return attributes

    def _check_simple(self, name: str, value: Any) -> None:
        """Raise unless an attribute declared as a flag, a number or a text is one."""
        kind = self.simple_attributes[name]
        takes = {bool: (bool,), float: (float, int), str: (str, bytes)}[kind]
        if type(value) not in takes and not (kind is bool and value in (0, 1)):
            wanted = {bool: "True or False", float: "a number", str: "text"}[kind]
            raise CoreError(f"{self.name} needs {wanted} as {name!r}, got {value!r:.80}")

    def _positional(self, values: tuple, given: dict[str, Any]) -> dict[str, Any]:
        """The attributes among the positional arguments, by name."""
        if len(values) > len(self.attributes):
            raise CoreError(
                f"{self.name} takes the tensors {list(self.inputs)} and the attributes "
                f"{list(self.attributes)}, got {self.count + len(values)} arguments"
            )
        named = dict(zip(self.attributes, values, strict=False))
        twice = sorted(set(named) & set(given))
        if twice:
            raise CoreError(f"{self.name} got the attribute {twice[0]!r} twice")
        return named

    def __repr__(self) -> str:
        return f"<op {self.name}{self.__signature__}>"


_PLAIN = frozenset({int, float, bool, str, type(None)})


def _tensors(
    op: str, by_position: Sequence[str], by_keyword: Sequence[str], kinds: Mapping[str, Any]
) -> dict[str, str]:
    """The parameters of a rule that are tensors, and the kind of each."""
    found = {n: _INPUTS.get(kinds.get(n, Spec)) for n in by_position}
    found |= {n: _INPUTS.get(kinds.get(n)) for n in by_keyword}
    tensors = {n: kind for n, kind in found.items() if kind}
    if tuple(tensors) != tuple(by_position[: len(tensors)]):
        raise CoreError(
            f"op {op!r}: its tensors {list(tensors)} must be the first parameters, by position"
        )
    return tensors


def camel_case(name: str) -> str:
    """TensorFlow.js's spelling of a Python name.

    >>> camel_case("half_pixel_centers")
    'halfPixelCenters'
    """
    first, *rest = name.split("_")
    return first + "".join(w.capitalize() for w in rest)


def _frozen(value: Any) -> Any:
    """An attribute as an immutable value: tuples of Python numbers."""
    if type(value) in _PLAIN:
        return value
    if hasattr(value, "tolist"):  # arrays, NumPy's numbers, tensors
        value = value.tolist()
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple, range)) else value


def _admits_none(annotation: Any) -> bool:
    return annotation is None or type(None) in get_args(annotation)


def _rename(function: Rule, name: str) -> None:
    """Give a nameless function a name, which tracebacks and profiles show."""
    function.__name__ = function.__qualname__ = name
    code = function.__code__.replace(co_name=name)
    if sys.version_info >= (3, 11):
        code = code.replace(co_qualname=name)
    function.__code__ = code


def _not_ready(op: Op, inputs: tuple, attributes: dict[str, Any]) -> Any:
    raise CoreError(f"{op.name} cannot run yet: import core first")


_dispatch: Dispatch = _not_ready


def set_dispatch(run: Dispatch) -> None:
    """Run all ops by this function: the engine is above their records."""
    global _dispatch
    _dispatch = run
