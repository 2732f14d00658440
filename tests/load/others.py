"""What else the machine does, which makes latencies longer than they are."""

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_IDLE = (3, 4)
"""Fields of a core's line in /proc/stat that are no work: idle, and waiting for a disk."""


def work_of_others(cores, processes):
    """Seconds that these cores have worked so far, but for these processes, as /proc says.

    Args:
        cores: their numbers.
        processes: ids of processes that use no other cores.
    """
    wanted = {f"cpu{core}" for core in cores}
    lines = [line.split() for line in Path("/proc/stat").read_text().splitlines()]
    times = [[int(field) for field in fields[1:9]] for fields in lines if fields[0] in wanted]
    work = sum(time for fields in times for place, time in enumerate(fields) if place not in _IDLE)
    return (work - sum(map(_own, processes))) / _TICKS


def _own(process):
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
