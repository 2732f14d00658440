from hypothesis import HealthCheck, settings

# A slow machine is no fault of the code: what is tested is what comes out, not when.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
