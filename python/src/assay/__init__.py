"""Compares caches on traces, by the ``assay`` command that comes with this package.

Each function runs one subcommand and returns what it wrote:

>>> import assay
>>> results = assay.run(traces=["zipf-1.0"], policies=["lru", "s3fifo"], capacities=["1%", "10%"])
>>> results.to_pandas()[["policy", "capacity", "hit_ratio"]]

Options that a function does not name are given by keyword, as the command spells them: ``warm_up="10%"`` is ``--warm-up 10%``.
"""

from ._command import AssayError, command_path
from ._functions import advise, bench, curve, gate, run
from ._results import Advice, Bench, Curve, GateReport, Result, Results

__all__ = [
    "Advice",
    "AssayError",
    "Bench",
    "Curve",
    "GateReport",
    "Result",
    "Results",
    "advise",
    "bench",
    "command_path",
    "curve",
    "gate",
    "run",
]
