"""The second implementation of a reconciliation: plain loops over plain lists, from the registration alone.

It imports nothing of the first. numpy deals the permutations of the null, since the null reconciles nothing.
"""
