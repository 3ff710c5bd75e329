"""The commands of ``zoo``, and running them."""

import sys
from functools import partial

import zoo
from weights_cache.common.messages import say
from weights_cache.common.providers import found_at
from zoo.cli import import_phase
from zoo.cli.blas_kernels import choose_kernels, leave_threads_out
from zoo.cli.signals import leave_if_alone
from zoo.cli.task_commands import TASKS
from zoo.cli.terminal import Parser, run_safely, warnings_as_lines

#: Commands beside those of tasks: what they do, and the function that declares their arguments.
_OTHERS = (
    (
        "watch",
        "run a task on a camera or video, frame by frame",
        "zoo.cli.watch_command:declare_watch",
    ),
    (
        "batch",
        "run a task on many images, on all cores or on a cluster",
        "zoo.cli.batch_command:declare_batch",
    ),
    (
        "effect",
        "blur faces or backgrounds, or cut people out, in images and videos",
        "zoo.cli.effect_command:declare_effect",
    ),
    (
        "embed",
        "write the features of images to a file, such as to train on them",
        "zoo.cli.embed_command:declare_embed",
    ),
    (
        "teach",
        "make a model of your own from a folder of images for each class",
        "zoo.cli.teach_command:declare_teach",
    ),
    (
        "gallery",
        "run a live app in the browser, on its camera or a clip",
        "zoo.cli.gallery_command:declare_gallery",
    ),
    (
        "serve",
        "answer images by HTTP: POST /v1/<function>",
        "zoo.cli.gallery_command:declare_serve",
    ),
    ("models", "list the pretrained models", "zoo.cli.models_command:declare_models"),
    (
        "describe",
        "print the card of a pretrained model",
        "zoo.cli.describe_command:declare_describe",
    ),
    (
        "plan",
        "print what the network of a model runs, step by step, and time it",
        "zoo.cli.plan_command:declare_plan",
    ),
    (
        "weights",
        "fetch, list, verify, find or remove weights",
        "zoo.cli.weights_commands:declare_weights",
    ),
    (
        "warmup",
        "compile what models need beforehand, so that also their first run is a fast one",
        "zoo.cli.warmup_command:declare_warmup",
    ),
    (
        "verify",
        "check that all backends compute the same numbers",
        "zoo.cli.verify_command:declare_verify",
    ),
    (
        "convert",
        "convert a model file to a model.json that TensorFlow.js loads",
        "zoo.cli.convert_command:declare_convert",
    ),
    (
        "publish",
        "write a model as a web page that runs it, or as files for pages of your own",
        "zoo.cli.publish_command:declare_publish",
    ),
    ("doctor", "check this computer: versions, backends, cache", "zoo.cli.doctor:declare_doctor"),
)


def run(arguments: list[str] | None) -> int:
    """Run the command that the arguments name, and return the exit status.

    Args:
        arguments: None for those of this process, which then is the command and may end here.
    """
    # NumPy is imported by the commands that need it.
    choose_kernels()
    leave_threads_out()

    def command() -> int:
        words = sys.argv[1:] if arguments is None else arguments
        parser = make_parser(words[0] if words else "")
        given = parser.parse_args(words)
        given.words = words
        if given.run is None:
            say(parser.format_help(), end="")
            return 2
        if given.imports_while_working:
            # Deeper in the stack its import crosses the end of a piece of memory for frames, which
            # CPython 3.11 asks the system for each time: 400 times, 3 ms.
            found_at("numpy")
        run_command = given.run if callable(given.run) else found_at(given.run)
        if not given.imports_while_working:
            import_phase.end()
        with warnings_as_lines():
            return run_command(given)

    status = run_safely(command)
    if arguments is None:
        leave_if_alone(status)
    return status


def make_parser(command: str = "") -> Parser:
    """The parser of one command, as each takes time; for any other name that of all commands."""
    parser = Parser(prog="zoo", description=(zoo.__doc__ or "").splitlines()[0])
    parser.add_argument("--version", action="version", version=f"friendly-zoo {zoo.__version__}")
    parser.set_defaults(run=None, imports_while_working=False)
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=Parser)
    declared = {name: (meaning, partial(_declare, declare)) for name, meaning, declare in _OTHERS}
    of_task = partial(_declare, "zoo.cli.image_commands:declare_task")
    declared = {task.command: (task.help, partial(of_task, task)) for task in TASKS} | declared
    for name in [command] if command in declared else declared:
        meaning, declare = declared[name]
        commands.add_parser(name, help=meaning).declare = declare
    return parser


def _declare(function: str, *arguments: object) -> None:
    """Call a function that declares arguments."""
    found_at(function)(*arguments)
