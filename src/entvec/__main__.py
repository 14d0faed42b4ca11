"""`python -m entvec` is the command `entvec`."""

from entvec.cli import main

main()
