"""Life cycles of resources, disturbed at random, against the very same ones undisturbed: `make chaos`."""
