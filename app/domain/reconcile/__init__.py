"""Reconciliation: a published table recomputed, cell by cell, from the records it is said to come from."""
