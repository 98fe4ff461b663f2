"""What the command wrote: its JSON, its table, its page and the text that it printed."""

from __future__ import annotations

import html
import io
from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    import pandas


class Result:
    """One result of the command. It shows its report in a notebook, and its text elsewhere."""

    def __init__(self, document: Dict[str, Any], table: str, page: str, text: str, status: int) -> None:
        #: The JSON as the command wrote it; docs/schemas describes it.
        self.document = document
        #: The table of the same result as CSV; docs/csv.md describes its columns.
        self.csv = table
        #: The report, one HTML page that needs no network.
        self.html = page
        #: What the command printed.
        self.text = text
        #: The exit status of the command.
        self.status = status

    @property
    def warnings(self) -> List[str]:
        """What the command warns of, as a busy machine; it may be empty."""
        return list(self.document.get("warnings", []))

    def to_pandas(self) -> "pandas.DataFrame":
        """The table as a data frame, one row for each cell or point; raises ``ImportError`` without pandas."""
        import pandas

        # Texts stay texts: a trace may be called NA, and a capacity 10%.
        return pandas.read_csv(
            io.StringIO(self.csv),
            keep_default_na=False,
            na_values={name: [""] for name in self.csv.partition("\n")[0].strip().split(",")},
        )

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        # A frame of its own, so that the styles of the page and of the notebook stay apart.
        page = html.escape(self.html, quote=True)
        return f'<iframe title="Report of Assay" srcdoc="{page}" style="width:100%;height:40em;border:0"></iframe>'


class Results(Result):
    """The results of ``run``: counts for each combination of trace, policy and capacity."""

    @property
    def cells(self) -> List[Dict[str, Any]]:
        """The combinations, as results.schema.json describes them."""
        return list(self.document["cells"])


class Curve(Result):
    """The hit ratios of ``curve`` over capacities."""

    @property
    def curves(self) -> List[Dict[str, Any]]:
        """The curves, one for each trace and policy, as curve.schema.json describes them."""
        return list(self.document["curves"])


class Bench(Result):
    """The measurements of ``bench``, as bench.schema.json describes them."""


class Advice(Result):
    """The answer of ``advise``."""

    @property
    def is_reached(self) -> bool:
        """Whether every trace has a choice that reaches the target or fits the budget."""
        return self.status == 0

    @property
    def advice(self) -> List[Dict[str, Any]]:
        """The answers, one for each trace, as advice.schema.json describes them."""
        return list(self.document["advice"])


class GateReport:
    """The verdict of ``gate``."""

    def __init__(self, document: Dict[str, Any], text: str, status: int) -> None:
        #: The verdict as gate.schema.json describes it.
        self.document = document
        #: What the command printed.
        self.text = text
        #: 0: nothing is worse; 2: something is; 6: all that fails is undecided.
        self.status = status

    @property
    def passed(self) -> bool:
        """Whether nothing is worse."""
        return self.status == 0

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"
