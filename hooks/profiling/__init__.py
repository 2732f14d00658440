"""The profiler of a DynamoGraphDeploymentRequest: what it is told, and what comes out of it. No I/O here."""
