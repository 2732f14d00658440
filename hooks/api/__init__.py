"""Pydantic models of the custom resources of `nvidia.com/v1alpha1`, one file each.

They ignore fields they do not know, so that a newer CRD breaks nothing here, and they are the source of `crds/`: what a
docstring or a description says here is what `kubectl explain` shows.
"""
