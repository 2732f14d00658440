"""One file per parent, each with `sync`, `finalize` and `customize`; and the registry of them."""
