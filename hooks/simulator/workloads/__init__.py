"""What runs workloads below Metacontroller: the usual controllers, just real enough to move status."""

from hooks.simulator.workloads.start import start_workloads
from hooks.simulator.workloads.world import PodFault, Profile, World

__all__ = ["PodFault", "Profile", "World", "start_workloads"]
