"""Batches: one graph over many rows, on one event loop or on Ray, resumable however they end.

rows      the input: JSON Lines
ledger    which rows are finished, and what they cost
output    the output: JSON Lines, appended to and never torn
journal   what the output was made with, and who is writing it
engine    runs rows in parallel, within limits
on_ray    the same on Ray
"""
