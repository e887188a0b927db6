"""The words that claims are recognised by: only lists, as pieces of regular expressions.

What they are used for is said in `cues` and `clauses`.
"""

from __future__ import annotations

PAST = (
    "added|adjusted|appended|applied|archived|assigned|attached|backed up|booked|built|bumped|called|canceled|"
    "cancelled|changed|cleaned|cleared|cloned|closed|collected|combined|commented out|committed|compiled|"
    "completed|computed|configured|connected|converted|copied|corrected|created|decoded|decreased|defined|"
    "deleted|deployed|disabled|documented|downloaded|enhanced|drafted|dropped|edited|emailed|enabled|"
    "exchanged|executed|expanded|exported|extended|extracted|filled|fixed|formatted|gathered|generated|"
    "handled|implemented|imported|improved|included|increased|initialized|inserted|installed|integrated|"
    "introduced|issued|launched|left|linked|loaded|located|logged|made|marked|merged|migrated|modified|moved|"
    "notified|opened|optimized|organized|parsed|patched|posted|prepared|processed|published|pulled|pushed|ran|"
    "rebuilt|received|redesigned|reduced|refactored|refunded|registered|reinstalled|removed|renamed|reordered|"
    "replaced|reproduced|requested|reran|re-ran|reserved|reset|resolved|restarted|restored|restructured|"
    "retrieved|reverted|rewrote|rolled back|saved|scanned|scheduled|searched|selected|sent|separated|"
    "simplified|solved|specified|split|staged|started|stopped|stored|submitted|swapped|switched|tagged|took|"
    "transferred|translated|trimmed|tried|turned|uninstalled|unified|updated|upgraded|uploaded|used|went|"
    "wired|wrapped|written|wrote"
)
CHECKED = (
    "verified|confirmed|checked|double-checked|double checked|validated|tested|inspected|reviewed|ensured|"
    "made sure|compared|re-checked|rechecked|retested|re-tested|cross-checked|audited|examined|measured|"
    "benchmarked|timed|looked at|read"
)
FOUND = "found|discovered|noticed|observed|identified|detected|determined|saw|see|can see|learned"
BASE = (
    "add|adjust|analyze|apply|ask|book|build|cancel|change|check|clean|commit|compare|confirm|configure|"
    "convert|copy|create|debug|delete|deploy|document|edit|ensure|examine|execute|explore|extract|find|fix|"
    "follow|generate|get|implement|import|improve|inspect|install|investigate|list|look|make|modify|move|open|"
    "proceed|process|provide|push|read|rebuild|refactor|remove|rename|replace|rerun|re-run|reproduce|restart|"
    "retry|revert|review|rewrite|run|save|search|send|set|show|start|stop|store|submit|switch|test|transfer|"
    "try|update|upgrade|use|validate|verify|view|wait|write"
)
ADVERBS = (
    r"(?:(?:also|now|already|just|then|first|finally|successfully|carefully|manually|only|both|all|thoroughly|fully)"
    r"\s+)*"
)
OUTCOME = (
    r"pass(?:es|ed|ing)?|fail(?:s|ed|ing)?|succeed(?:s|ed)?|succeeding|match(?:es|ed)?|compiles?|builds?|crash(?:es|ed)?|"
    r"returned|printed|produced|exited|timed out|errored|green|is clean|are clean|worked|works|"
    r"c[ao]mes? back"
)
WITNESS = (
    r"(?:outputs?|results?|tests?|suites?|logs?|errors?|messages?|tracebacks?|commands?|runs?|builds?|checks?|search|"
    r"diff|scripts?|quer(?:y|ies)|responses?|imports?|lint\w*|compiler|statements?|stack trace|screenshot|listing)"
)
SAYS = (
    r"shows?|showed|indicates?|suggests?|reveals?|says?|said|reads?|gives?|gave|reproduces?|did not|didn[’']t|"
    r"does not|doesn[’']t"
)
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
OUTCOME_WORDS = (
    "pass passes passed passing fail fails failed failing succeed succeeds succeeded succeeding match matches matched "
    "compile compiles build builds crash crashes crashed returned printed produced exited timed errored green clean "
    "worked works come came failure failures"
)
SAYS_WORDS = (
    "show shows showed indicate indicates suggest suggests reveal reveals say says said read reads give gives gave "
    "reproduce reproduces not didn doesn"
)
OPENING_STATES = (
    "handles|supports|uses|adds|includes|ensures|prevents|removes|fixes|validates|works|keeps|displays|shows|contains"
)
