"""What the command line says when it cannot go on."""


class WrongInputError(Exception):
    """What cannot be read, one clear line each."""
