"""Vectors of other types and lengths than those of `KernelText`: of bytes, integers and doubles."""

from core.backends.cpu.codegen.ir.kernel_text import KernelText, Name

#: The bytes of a value by its type.
SIZES = {"i8": 1, "i32": 4, "i64": 8, "float": 4, "double": 8}


class Vectors:
    """Vectors of one type while a kernel is being written.

    Args:
        k: the kernel's text.
        element: the type of a value, of `SIZES`.
        count: values of a vector.

    Attributes:
        type: of a vector.
        flags: the type of a vector of flags.
        size: bytes of a value.
    """

    def __init__(self, k: KernelText, element: str, count: int):
        self._k, self.element, self.count = k, element, count
        self.type, self.flags = f"<{count} x {element}>", f"<{count} x i1>"
        self.size = SIZES[element]

    def of(self, instruction: str, a: Name, b: Name) -> Name:
        """Return the result of an instruction of two vectors, such as ``"fadd"``."""
        return self._k.let(f"{instruction} {self.type} {a}, {b}")

    def compare(self, how: str, a: Name, b: Name) -> Name:
        """Return a vector of flags, by a comparison such as ``"fcmp ogt"``."""
        return self._k.let(f"{how} {self.type} {a}, {b}")

    def select(self, flags: Name, yes: Name, no: Name) -> Name:
        """Return values of one of two vectors, by flags."""
        return self._k.let(f"select {self.flags} {flags}, {self.type} {yes}, {self.type} {no}")

    def splat(self, number: float) -> str:
        """Return a constant vector of one number that has few digits."""
        return f"<{', '.join([f'{self.element} {number!r}'] * self.count)}>"

    def numbers(self) -> str:
        """Return the constant vector of 0, 1, 2, .. as doubles."""
        return f"<{', '.join(f'{self.element} {float(i)!r}' for i in range(self.count))}>"

    def repeat(self, value: Name) -> Name:
        """Return a vector of one value."""
        first = self._k.let(f"insertelement {self.type} poison, {self.element} {value}, i64 0")
        lanes = f"<{self.count} x i32> zeroinitializer"
        return self._k.let(f"shufflevector {self.type} {first}, {self.type} poison, {lanes}")

    def load(self, pointer: Name) -> Name:
        """Return a vector from memory."""
        return self._k.let(f"load {self.type}, ptr {pointer}, align {self.size}")

    def store(self, value: Name, pointer: Name) -> None:
        """Write a vector to memory."""
        self._k.write(f"store {self.type} {value}, ptr {pointer}, align {self.size}")

    def cast(self, how: str, value: Name, to: "Vectors") -> Name:
        """Return a vector in another type, by a conversion such as ``"zext"``."""
        return self._k.let(f"{how} {self.type} {value} to {to.type}")


def number_of(k: KernelText, whole: "int | str") -> Name:
    """Return an integer as a double."""
    return k.let(f"sitofp i64 {whole} to double")
