"""Running a reconciliation, telling what it found, and turning a divergent cell into a claim."""
