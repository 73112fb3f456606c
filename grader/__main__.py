"""`python -m grader`: the same as the `kgrade` command. It adds nothing to it."""

from grader.cli import main

if __name__ == "__main__":
    main()
