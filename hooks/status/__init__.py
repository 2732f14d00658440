"""Conditions, readiness, and one file per parent."""
