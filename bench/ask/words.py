"""What an answer says beside its figures: that something was run, or that the tables do not hold what was asked."""

from __future__ import annotations

import re

_RUN = r"(?:ran|run|re-?ran|executed|queried|computed|calculated|verified|checked|tested|evaluated)"
_THING = r"(?:code|snippet|script|query|queries|sql|program|notebook|simulation|analysis|calculation|run|execution)"
_CLAIMS = (
    rf"\b(?:I|we)(?:['’]ve|\s+have|\s+just|\s+already|\s+first|\s+then|\s+also)*\s+{_RUN}\b",
    rf"\b(?:the|my|our|this|a|that)\s+(?:\w+\s+)?{_THING}\s+(?:was\s+(?:run|executed)|ran|returned|returns|printed|prints|"
    r"gave|gives|showed|shows|output|outputs|produced|confirmed|confirms|computed|found|completed|finished|reports?|succeeded)\b",
    rf"\b(?:after|by|on|upon|from)\s+(?:running|executing|querying)\b|\brunning\s+(?:the|my|this)\s+(?:\w+\s+)?{_THING}\b",
    rf"\b(?:output|result|results)\s+(?:of|from)\s+(?:the|my|our|this|running)\s*(?:\w+\s+)?{_THING}?\b(?<=run|ode|ery|ipt|pet|ing|ram|ion|sql|sis)",
    rf"\baccording\s+to\s+(?:the|my|our)\s+(?:\w+\s+)?{_THING}\b",
    r"(?:^|[.!:;\n]\s*)(?:Executed|Ran|Computed|Verified|Queried)\b",
    r"\b(?:was|were|been)\s+(?:executed|computed\s+by\s+running|run\s+in\s+the\s+sandbox)\b",
    r"\brun_python\s+(?:returned|gave|printed|shows)\b",
)
_CLAIM = re.compile("|".join(_CLAIMS), re.IGNORECASE | re.MULTILINE)
_NOT_DONE = re.compile(
    r"\b(?:not|never|no|nothing|without|cannot|can't|could|would|should|might|if|unable|didn['’]t|haven['’]t|hasn['’]t|"
    r"wasn['’]t|weren['’]t|needs?|please|to)\b[^.!?\n]*\Z",
    re.IGNORECASE,
)
_HOLDER = r"(?:tables?|data(?:set)?|exports?|files?|columns?|records?|logs?)"
_DECLINE = re.compile(
    rf"\b{_HOLDER}\s+(?:do|does|did)(?:\s+not|n['’]t)\s+(?:hold|contain|have|include|record|say|show|list|cover|carry|tell)\b"
    rf"|\b(?:cannot|can\s*not|can['’]t|could\s+not)\s+be\s+(?:answered|determined|computed|found|derived|told)\b"
    rf"|\b(?:cannot|can\s*not|can['’]t|unable\s+to)\s+(?:answer|determine|tell|derive)\b"
    rf"|\b(?:is|are)\s+not\s+(?:in|part\s+of|recorded\s+in|contained\s+in)\s+(?:these|the|this|any)\s+(?:\w+\s+)?{_HOLDER}\b"
    rf"|\bno\s+{_HOLDER}\s+(?:here\s+)?(?:holds?|contains?|has|have|includes?|records?)\b"
    rf"|\bnone\s+of\s+the(?:se)?\s+{_HOLDER}\b",
    re.IGNORECASE,
)


def claims_run(text: str) -> bool:
    """Return whether a text says that something was run; "I did not run" and "if I ran" say no such thing."""
    for match in _CLAIM.finditer(text):
        start = max(text.rfind(mark, 0, match.start()) for mark in ".!?\n") + 1
        within = re.search(r"\b(?:not|never|n['’]t)\b", match[0], re.IGNORECASE)
        if not within and not _NOT_DONE.search(text, start, match.start()):
            return True
    return False


def declines(text: str) -> bool:
    """Return whether a text says that the tables do not hold what was asked."""
    return bool(_DECLINE.search(text))
