"""NVIDIA Dynamo's custom resources as stateless HTTP hooks under Metacontroller."""

__version__ = "0.1.0"
