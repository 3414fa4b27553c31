"""The difference as a part of a plan's report, before its contents, where whoever reads one page sees it first."""

import re
from html import escape
from itertools import groupby

from review.findings import Finding
from review.show import fields, summary

BEGINS, ENDS = "<!-- difference -->", "<!-- /difference -->"
CONTENTS = '<nav aria-label="Parts of this page">'
"""What `plan/report.html.jinja` has after its first screen."""
HEAD = '<tr><th scope="col">Change</th><th scope="col">Why</th><th scope="col">What differs</th></tr>'


def into(page: str, found: list[Finding], notes: list[str]) -> str:
    """The report with this difference, instead of the one that it had; ValueError: it is no report."""
    bare = re.sub(f"{BEGINS}.*?{ENDS}\n", "", page, flags=re.DOTALL)
    if bare.count(CONTENTS) != 1:
        raise ValueError("no report.html of `bedplate plan ENV --out DIR`")
    return bare.replace(CONTENTS, f"{BEGINS}\n{section(found, notes)}{ENDS}\n{CONTENTS}")


def section(found: list[Finding], notes: list[str]) -> str:
    """A table for each danger, the worst first and open; what does nothing is folded away, like the rest."""
    parts = ['<section aria-labelledby="difference">', '<h2 id="difference">What this does to the running cluster</h2>']
    parts += [f"<p>{escape(text)}</p>" for text in (summary(found), *notes) if text]
    for danger, group in groupby(found, lambda one: one.judgement.danger):
        shown = " open" if danger else ""
        rows = "".join(map(_row, group))
        parts.append(f"<details{shown}><summary><b>{danger.label}</b></summary><table>{HEAD}{rows}</table></details>")
    return "\n".join([*parts, "</section>", ""])


def _row(one: Finding) -> str:
    source = f" ({one.judgement.source})" if one.judgement.source else ""
    said = [one.acknowledged and f"acknowledged: {one.acknowledged}", *fields(one)]
    cells = (one.title, one.judgement.reason + source, "; ".join(filter(None, said)))
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
