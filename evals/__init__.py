"""Evaluation: data sets, metrics, and evaluation runs."""
