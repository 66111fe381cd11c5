"""Batches: one graph over many rows, on one event loop or on Ray, resumable after any kind of end.

rows      what comes in: JSON Lines
ledger    which rows are finished, and what they cost
output    what goes out: JSON Lines, appended to and never torn
journal   what the output was made with, and who is writing it
engine    the rows at once, within bounds
on_ray    the same on Ray
"""
