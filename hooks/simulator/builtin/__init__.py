"""The kinds that every cluster has, and how the API server treats each."""

from hooks.simulator.builtin.kinds import built_in

__all__ = ["built_in"]
