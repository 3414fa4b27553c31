"""The verdicts as JUnit's XML, which GitLab, Jenkins and Azure DevOps show as tests.

A suite a file, a case a verdict: a mandatory one fails, an advisory one passes with its words as output, a waived one
is skipped with its reason. What cannot be read is an error.
"""

from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bedplate.policies.judging.verdict import Verdict
from bedplate.policies.reports.places import Places
from bedplate.policies.rule import REGISTRY
from bedplate.printable import single

COUNTS = {"tests": "testcase", "failures": "*/failure", "errors": "*/error", "skipped": "*/skipped"}
"""A suite's numbers, by what they count."""


def junit(verdicts: list[Verdict], places: Places, faults: list[str]) -> str:
    """One document; a run without a complaint has one case that passes, since no case at all reads as a failure."""
    top = Element("testsuites", name="bedplate check")
    for file, found in groupby(verdicts, lambda verdict: verdict.file):
        suite = SubElement(top, "testsuite", name=single(file) or "(all files)")
        for each in found:
            _case(suite, each, places)
    if faults or not verdicts:
        suite = SubElement(top, "testsuite", name="files")
        for fault in faults or [""]:
            case = SubElement(suite, "testcase", name=single(fault) or "no complaint", classname="bedplate")
            if fault:
                SubElement(case, "error", message=single(fault))
    for suite in top:
        for count, mark in (
            ("tests", "testcase"),
            ("failures", "*/failure"),
            ("errors", "*/error"),
            ("skipped", "*/skipped"),
        ):
            suite.set(count, str(len(suite.findall(mark))))
    indent(top)
    return tostring(top, encoding="unicode", xml_declaration=True)


def _case(suite: Element, verdict: Verdict, places: Places) -> None:
    rule = REGISTRY[verdict.rule]
    name = f"{single(verdict.resource)}: {rule.title}"
    place = {"file": single(verdict.file), "line": str(places.of(verdict).line)} if verdict.file else {}
    case = SubElement(suite, "testcase", {"name": name, "classname": rule.id, **place})
    words = single(verdict.message)
    if verdict.severity == "mandatory":
        SubElement(case, "failure", type=rule.id, message=words).text = words
    elif verdict.severity == "waived":
        SubElement(case, "skipped", message=single(verdict.waiver))
    else:
        SubElement(case, "system-out").text = f"advisory: {words}"
