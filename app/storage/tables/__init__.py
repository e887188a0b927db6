"""The tables. Native identities stand in `seal_key` and `identity` alone; what raters are served stands in `blind_*`.

Texts are UTF-8, moments are ISO 8601 UTC text, structured values canonical JSON text.
"""

from app.storage.tables.columns import one_of
from app.storage.tables.judgements import (
    AuditRow,
    CodingRow,
    DecisionRow,
    DraftRow,
    LockRow,
    QueueItemRow,
    RuleCountRow,
)
from app.storage.tables.people import ApiTokenRow, SignInLinkRow, UserRoleRow, UserRow, WebSessionRow
from app.storage.tables.practice import (
    CodebookReadingRow,
    PracticeAnswerRow,
    PracticeAttemptRow,
    PracticeDraftRow,
    PracticeSetRow,
)
from app.storage.tables.served import (
    AssignmentRow,
    BlindClaimRow,
    BlindRunRow,
    BlindTurnRow,
    FindingRow,
    LedgerRow,
    PacketRow,
    ScanRow,
)
from app.storage.tables.study import (
    FrozenClaimRow,
    FrozenRunRow,
    IdentityRow,
    MemberRow,
    SealKeyRow,
    StudyInputRow,
    StudyRow,
)

__all__ = [
    "ApiTokenRow",
    "AssignmentRow",
    "AuditRow",
    "BlindClaimRow",
    "BlindRunRow",
    "BlindTurnRow",
    "CodebookReadingRow",
    "CodingRow",
    "DecisionRow",
    "DraftRow",
    "FindingRow",
    "FrozenClaimRow",
    "FrozenRunRow",
    "IdentityRow",
    "LedgerRow",
    "LockRow",
    "MemberRow",
    "PacketRow",
    "PracticeAnswerRow",
    "PracticeAttemptRow",
    "PracticeDraftRow",
    "PracticeSetRow",
    "QueueItemRow",
    "RuleCountRow",
    "ScanRow",
    "SealKeyRow",
    "SignInLinkRow",
    "StudyInputRow",
    "StudyRow",
    "UserRoleRow",
    "UserRow",
    "WebSessionRow",
    "one_of",
]
