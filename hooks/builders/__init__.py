"""One file per child kind; each function makes one object."""
