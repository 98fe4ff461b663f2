"""Puts the command into the wheel, and the platform that the command needs into the wheel's tag."""

import os
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CommandHook(BuildHookInterface):
    def initialize(self, version, build_data):
        # An editable install uses the command that ASSAY or PATH names.
        if version == "editable":
            return
        folder = os.environ.get("ASSAY_COMMAND_FOLDER")
        platform = os.environ.get("ASSAY_WHEEL_PLATFORM")
        if not folder or not platform:
            raise ValueError("A wheel carries the command: build it by scripts/package")
        if not (Path(folder) / "bin" / "assay").is_file():
            raise ValueError(f"{folder} has no bin/assay")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform}"
        build_data["force_include"][folder] = "assay/_command"
