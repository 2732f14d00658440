"""Metacontroller's engine: reads controllers from their manifests, calls the hooks, applies what they answer.

Facts: Metacontroller 4.17. What it gets wrong, this engine gets wrong in the same way: that is what it is for.
"""
