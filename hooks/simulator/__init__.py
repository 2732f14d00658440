"""The embedded cluster: API server and Metacontroller semantics in one process."""
