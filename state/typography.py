"""One way to write what is typed in several: quotes, apostrophes, dashes, spaces, full-width letters."""

_ALIKE = {
    "'": "‘’‚‛′ʼ`´",
    '"': "“”„‟″«»",
    "-": "‐‑‒–—―−﹣",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
}
_PLAIN = {ord(char): plain for plain, chars in _ALIKE.items() for char in chars} | {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)
}


def plain(text: str) -> str:
    """The text in plain typing, character for character, so that an offset in one is an offset in the other."""
    return text.translate(_PLAIN)
