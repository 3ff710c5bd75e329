"""The ``zoo`` command.

Exit status: 0 done; 1 some of several failed, the others are done; 2 nothing could be done;
130 stopped by Ctrl-C, 143 by SIGTERM.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    # Nothing is imported above: Ctrl-C ends the command in silence also while modules load.
    try:
        from zoo.cli import import_phase

        if arguments is None:
            import_phase.begin()
        from zoo.cli.commands import run

        return run(arguments)
    except KeyboardInterrupt:
        return 130
