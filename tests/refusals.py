"""Whether a line that refuses something says what it should."""


def says(line: str, words: tuple[str, ...]) -> bool:
    """The line is about the key that comes first, alone or with its value, and has all words in it.

    The whole key: a part of another would do for a word.
    """
    key = line.partition(" = ")[0].rpartition(": ")[2]
    return key == words[0].partition(" = ")[0] and all(word in line for word in words)
