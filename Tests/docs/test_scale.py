"""The table of docs/scale.md is what scripts/scale prints."""

import subprocess
import sys
import unittest

import test_documents as documents


class ScaleTests(unittest.TestCase):
    def test_the_table_is_what_the_program_prints(self):
        command = [sys.executable, "-B", str(documents.ROOT / "scripts" / "scale")]
        table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertIn(table, (documents.ROOT / "docs" / "scale.md").read_text())
        larger = subprocess.run(command + ["traces=20000"], capture_output=True, text=True, check=True).stdout
        self.assertIn("3,200,000", larger)


if __name__ == "__main__":
    unittest.main()
