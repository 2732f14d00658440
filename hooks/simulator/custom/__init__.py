"""Custom resources, as their CustomResourceDefinitions describe them."""

from hooks.simulator.custom.definitions import custom_resources

__all__ = ["custom_resources"]
