r"""File names that other people chose, made safe to create in a folder on Windows, macOS and Linux.

The rules are those of protocol/src/safe-name.ts; a test holds one against the other. The character classes are those of
JavaScript, where `\s` and letters' cases differ from Python's in a few characters.
"""

import re
import unicodedata
from collections.abc import Sequence

_MAX_NAME_BYTES = 255
# Folders and name; as many as the server takes.
_MAX_PATH_DEPTH = 32
_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
# Not allowed in a name on Windows, or used to make a name look like another one (control and bidirectional characters).
_UNSAFE = re.compile(
    r'[<>:"/\\|?*\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|(?<![. ])[. ]+\Z'
)
# Names that Windows gives to devices, whatever extension follows.
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|\Z)", re.IGNORECASE | re.ASCII
)
# The characters with the property Default_Ignorable_Code_Point.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BLANK = re.compile(f"[{_SPACE}\u2800]")
# At most 16 characters and without spaces: what follows the dot of "No. 5 of the yearly report" is not an extension.
_EXTENSION = re.compile(rf"(?s)(?<=.)\.[^.{_SPACE}]{{1,16}}\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


def safe_local_name(name: str) -> str:
    """Returns the name itself where it is safe everywhere; otherwise with an underscore for each unsafe character."""
    short = _shorten(unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", name)), "")
    if _DEVICE.match(_INVISIBLE.sub("", short)):
        short = _shorten(f"_{short}", "")
    safe = _UNSAFE.sub(lambda found: "_" * len(found[0]), short)
    return safe if _BLANK.sub("", _INVISIBLE.sub("", safe)) else "_"


def safe_local_paths(paths: Sequence[str]) -> list[str]:
    """Returns distinct paths, with `/` between their folders, that can be created in one folder, in the given order.

    Folders whose names look or count the same are one folder, which is called as it was first. A file or folder that is
    called as an earlier one gets a number: `report (2).csv`.
    """
    root = _LocalFolder("")
    # By the path before it is safe: most files share their folders.
    folders: dict[str, _LocalFolder] = {}

    def find_folder(path: str) -> _LocalFolder:
        parent, slash, _name = path.rpartition("/")
        if not slash:
            return root
        if parent not in folders:
            folders[parent] = find_folder(parent).folder(safe_local_name(_name_of(parent)))
        return folders[parent]

    return [
        (root if path.count("/") >= _MAX_PATH_DEPTH else find_folder(path)).add_file(safe_local_name(_name_of(path)))
        for path in paths
    ]


class _LocalFolder:
    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._taken: set[str] = set()
        # By the name that was asked for.
        self._folders: dict[str, _LocalFolder] = {}
        # Where to continue counting: without this, a thousand equal names would take half a million attempts.
        self._next_numbers: dict[str, int] = {}

    def add_file(self, name: str) -> str:
        return self._prefix + self._take(name, _name_key(name))

    def folder(self, name: str) -> "_LocalFolder":
        key = _name_key(name)
        if key not in self._folders:
            self._folders[key] = _LocalFolder(f"{self._prefix}{self._take(name, key)}/")
        return self._folders[key]

    def _take(self, name: str, key: str) -> str:
        number = self._next_numbers.get(key, 1)
        while True:
            candidate = name if number == 1 else _shorten(name, f" ({number})")
            candidate_key = key if number == 1 else _name_key(candidate)
            number += 1
            if candidate_key not in self._taken:
                self._taken.add(candidate_key)
                self._next_numbers[key] = number
                return candidate


def _name_of(path: str) -> str:
    return path.rpartition("/")[2]


def _name_key(name: str) -> str:
    """Equal for names that a file system may take for the same, or that a reader cannot tell apart."""
    visible = _BLANK.sub(" ", _INVISIBLE.sub("", name))
    # Lower case first: only then do all forms of a letter, such as ẞ and ß, have the same upper case.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", visible).lower().upper())


def _shorten(name: str, suffix: str) -> str:
    """Puts `suffix` before the extension, and drops the end of the stem where the name would be too long."""
    found = _EXTENSION.search(name)
    extension = found[0] if found else ""
    stem = name[: len(name) - len(extension)]
    size = len((stem + suffix + extension).encode())
    while size > _MAX_NAME_BYTES:
        size -= len(stem[-1].encode())
        stem = stem[:-1]
    return stem + suffix + extension
