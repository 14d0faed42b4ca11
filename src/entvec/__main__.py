"""`entvec` and `python -m entvec`: the command line."""

import signal


def main() -> None:
    """Run the command line.

    Importing it takes longer than pressing Ctrl-C. Until it is there, Ctrl-C ends the process as it ends a program that
    is not written in Python: at once, without a traceback. A shell may have it ignored, for a job in the background.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from entvec.cli import main

    main()


if __name__ == "__main__":
    main()
