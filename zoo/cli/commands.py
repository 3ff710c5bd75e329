"""The commands of ``zoo``, and running them."""

import argparse

from weights_cache.messages import say
from zoo.cli.blas_kernels import choose_kernels, leave_threads_out
from zoo.cli.convert_command import add_convert
from zoo.cli.image_commands import add_task
from zoo.cli.models_command import add_models
from zoo.cli.plan_command import add_plan
from zoo.cli.task_commands import TASKS
from zoo.cli.terminal import Parser, run_safely, show
from zoo.cli.weights_commands import add_weights


def run(arguments: list[str] | None) -> int:
    """Run the command that the arguments name; its exit status."""
    # NumPy is imported by the commands that need it.
    choose_kernels()
    leave_threads_out()

    def command() -> int:
        parser = make_parser()
        given = parser.parse_args(arguments)
        if given.run is None:
            say(parser.format_help(), end="")
            return 2
        return given.run(given)

    return run_safely(command)


def make_parser() -> Parser:
    """The parser of all commands."""
    import zoo

    parser = Parser(prog="zoo", description=(zoo.__doc__ or "").splitlines()[0])
    parser.add_argument("--version", action="version", version=f"friendly-zoo {zoo.__version__}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    for task in TASKS:
        add_task(commands, task)
    add_models(commands)
    describe = commands.add_parser("describe", help="print the card of a pretrained model")
    describe.add_argument("name", metavar="NAME", help="see 'zoo models'")
    describe.set_defaults(run=_run_describe)
    add_plan(commands)
    add_weights(commands)
    add_convert(commands)
    doctor = commands.add_parser("doctor", help="check this machine: versions, backends, cache")
    doctor.set_defaults(run=_run_doctor)
    return parser


def _run_describe(given: argparse.Namespace) -> int:
    from zoo.model_cards import describe

    show(describe(given.name))
    return 0


def _run_doctor(_: argparse.Namespace) -> int:
    from zoo.cli.doctor import examine

    for name, finding in examine():
        show(f"{name:<12} {finding}", flush=True)
    return 0
