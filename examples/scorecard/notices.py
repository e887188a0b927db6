"""Twelve invented harbour notices: their facts, who named them, their entities and where they were printed.

All of it is made up for this project. A fact is (salience, how many of three contributors named it, its words).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    """One notice: the question the models answered."""

    question_id: str
    story: str
    input_language: str
    facts: tuple[tuple[str, int, str], ...]
    entities: tuple[tuple[str, str, str], ...]
    publishers: tuple[str, ...]


CORE, SUPPORT, CONTEXT = "core", "supporting", "context"
QUAY, MARK, GULL = "Quayside Post", "Seamark Weekly", "The Grey Gull"

NOTICES: tuple[Notice, ...] = (
    Notice(
        "n01",
        "dredging",
        "ne",
        (
            (CORE, 3, "Dredging of the north channel begins on 4 May"),
            (CORE, 3, "The channel is closed to vessels over 60 metres"),
            (CORE, 2, "The work takes nineteen days"),
            (SUPPORT, 3, "The dredger is the Patient Heron"),
            (SUPPORT, 1, "Spoil is taken to the Outer Bank"),
            (CONTEXT, 2, "The channel was last dredged six years ago"),
        ),
        (("place", "North Channel", ""), ("vessel", "Patient Heron", "P. Heron"), ("place", "Outer Bank", "")),
        (QUAY, MARK),
    ),
    Notice(
        "n02",
        "dredging",
        "en",
        (
            (CORE, 3, "The dredging is interrupted by a broken pump"),
            (CORE, 2, "It resumes on 11 May"),
            (SUPPORT, 2, "Nobody was hurt"),
            (SUPPORT, 3, "The pump comes from Tarn Works"),
            (CONTEXT, 1, "Ferries are not affected"),
        ),
        (("organisation", "Tarn Works", "Tarn"), ("vessel", "Patient Heron", "P. Heron")),
        (QUAY,),
    ),
    Notice(
        "n03",
        "dredging",
        "ne",
        (
            (CORE, 3, "The north channel reopens on 26 May"),
            (CORE, 3, "Its depth is now 9.4 metres"),
            (SUPPORT, 1, "The harbour board thanks the pilots"),
            (CONTEXT, 2, "The work cost less than planned"),
        ),
        (("place", "North Channel", ""), ("organisation", "Harbour Board", "the Board")),
        (MARK, GULL),
    ),
    Notice(
        "n04",
        "ferries",
        "en",
        (
            (CORE, 3, "The night ferry to Ennis Point ends on 1 October"),
            (CORE, 3, "The last sailing leaves at 23.40"),
            (CORE, 1, "A bus replaces it"),
            (SUPPORT, 2, "Some eighty people used it each night"),
            (SUPPORT, 2, "The line loses money in winter"),
        ),
        (("place", "Ennis Point", "Ennis Pt"), ("organisation", "Firth Lines", "Firth")),
        (QUAY, GULL),
    ),
    Notice(
        "n05",
        "ferries",
        "ne",
        (
            (CORE, 3, "A petition asks to keep the night ferry"),
            (CORE, 2, "It has 2,140 names"),
            (SUPPORT, 3, "The council debates it on 12 September"),
            (CONTEXT, 1, "A similar petition failed four years ago"),
        ),
        (("place", "Ennis Point", "Ennis Pt"), ("organisation", "Town Council", "the Council")),
        (GULL,),
    ),
    Notice(
        "n06",
        "weather",
        "en",
        (
            (CORE, 3, "A storm warning holds from 18.00 to 06.00"),
            (CORE, 3, "Gusts of up to 45 knots are expected"),
            (SUPPORT, 3, "Small craft are told to stay in port"),
            (SUPPORT, 1, "The outer moorings are closed"),
            (CONTEXT, 2, "It is the third warning this month"),
        ),
        (("place", "Outer Moorings", ""), ("organisation", "Coast Watch", "")),
        (QUAY, MARK, GULL),
    ),
    Notice(
        "n07",
        "fisheries",
        "ne",
        (
            (CORE, 3, "The herring quota is cut by a fifth"),
            (CORE, 2, "It applies from the new year"),
            (CORE, 3, "Forty boats are concerned"),
            (SUPPORT, 2, "The stock was counted in August"),
            (CONTEXT, 1, "Cod is not concerned"),
        ),
        (("organisation", "Fisheries Office", "the Office"), ("place", "Skerry Ground", "")),
        (MARK,),
    ),
    Notice(
        "n08",
        "harbour light",
        "en",
        (
            (CORE, 3, "The light on Sill Rock is out"),
            (CORE, 3, "It is to be repaired by Thursday"),
            (SUPPORT, 2, "A lit buoy marks the rock meanwhile"),
            (SUPPORT, 2, "The lamp was struck by lightning"),
        ),
        (("place", "Sill Rock", "the Sill"), ("organisation", "Coast Watch", "")),
        (QUAY, MARK),
    ),
    Notice(
        "n09",
        "market",
        "ne",
        (
            (CORE, 3, "The fish market moves to Shed 4"),
            (CORE, 1, "The move is for two years"),
            (SUPPORT, 3, "The old hall gets a new roof"),
            (SUPPORT, 1, "Stalls keep their numbers"),
            (CONTEXT, 3, "The hall was built in 1931"),
        ),
        (("place", "Shed 4", "Shed Four"), ("organisation", "Harbour Board", "the Board")),
        (GULL, QUAY),
    ),
    Notice(
        "n10",
        "pilotage",
        "en",
        (
            (CORE, 2, "Pilotage becomes compulsory for tankers"),
            (CORE, 2, "The rule begins on 1 March"),
            (SUPPORT, 3, "The fee is 310 a passage"),
            (CONTEXT, 2, "Until now it was advised"),
        ),
        (("organisation", "Pilots’ House", "Pilots House"), ("organisation", "Harbour Board", "the Board")),
        (MARK,),
    ),
    Notice(
        "n11",
        "bridge",
        "ne",
        (
            (CORE, 3, "The swing bridge opens only at even hours"),
            (CORE, 3, "The limit lasts until its motor is replaced"),
            (SUPPORT, 2, "Rowing boats pass at any time"),
            (CONTEXT, 1, "The motor is forty years old"),
        ),
        (("place", "Swing Bridge", ""), ("organisation", "Tarn Works", "Tarn")),
        (QUAY,),
    ),
    Notice(
        "n12",
        "rescue",
        "en",
        (
            (CORE, 3, "Two people were rescued from a capsized dinghy"),
            (CORE, 3, "It happened off Ennis Point on Sunday"),
            (CORE, 3, "Both are well"),
            (SUPPORT, 2, "The lifeboat was out for fifty minutes"),
            (SUPPORT, 2, "The dinghy was not found"),
        ),
        (("place", "Ennis Point", "Ennis Pt"), ("vessel", "Steady Lantern", "Lantern")),
        (QUAY, GULL),
    ),
)
