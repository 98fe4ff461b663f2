"""The ``assay`` command as it is, for a shell: ``assay list policies`` or ``python -m assay list policies``."""

import os
import sys
from typing import NoReturn

from ._command import AssayError, command_path


def main() -> NoReturn:
    """Becomes the command; what is said after the name is given to it as it is."""
    try:
        path = command_path()
    except AssayError as error:
        print(f"assay: {error}", file=sys.stderr)
        sys.exit(error.code)
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
