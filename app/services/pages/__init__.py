"""What each page is given: one frozen value a page, filled by a service that has already decided what may be seen.

A template never receives what its reader may not see, so nothing needs hiding there. No template, no HTTP here.
"""

from app.services.pages.adjudication import AdjudicationPage, AdjudicatorHome, QueueLine, ShownCoding
from app.services.pages.around import ErrorPage, PeoplePage
from app.services.pages.bench import FormState, Person, Workbench
from app.services.pages.codebook import (
    CodebookPage,
    ComparisonPage,
    CrosswalkLine,
    RegisteredText,
    StudyUse,
    VersionLine,
)
from app.services.pages.custody import CustodyPage, FindingLine
from app.services.pages.enforcement import RulesPage
from app.services.pages.practice import (
    AttemptPage,
    Feedback,
    Figures,
    ItemLine,
    PracticeHome,
    PracticeItemPage,
    PracticeLine,
    PracticeStep,
    QualificationNotice,
)
from app.services.pages.rating import ClaimLine, LockPage, PacketLine, RaterHome, RatingPage
from app.services.pages.study import (
    AgreementPage,
    DisagreementLine,
    DisagreementPage,
    GateLine,
    NewStudyPage,
    NextStep,
    RaterProgress,
    StandingLine,
    StudyLine,
    StudyList,
    StudyPage,
)

__all__ = [
    "AdjudicationPage",
    "AdjudicatorHome",
    "AgreementPage",
    "AttemptPage",
    "ClaimLine",
    "CodebookPage",
    "ComparisonPage",
    "CrosswalkLine",
    "CustodyPage",
    "DisagreementLine",
    "DisagreementPage",
    "ErrorPage",
    "Feedback",
    "Figures",
    "FindingLine",
    "FormState",
    "GateLine",
    "ItemLine",
    "LockPage",
    "NewStudyPage",
    "NextStep",
    "PacketLine",
    "PeoplePage",
    "Person",
    "PracticeHome",
    "PracticeItemPage",
    "PracticeLine",
    "PracticeStep",
    "QualificationNotice",
    "QueueLine",
    "RaterHome",
    "RaterProgress",
    "RatingPage",
    "RegisteredText",
    "RulesPage",
    "ShownCoding",
    "StandingLine",
    "StudyLine",
    "StudyList",
    "StudyPage",
    "StudyUse",
    "VersionLine",
    "Workbench",
]
