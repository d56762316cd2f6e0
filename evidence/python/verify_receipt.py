#!/usr/bin/env python3
"""Verifies a Waybill receipt offline, with nothing but Python's standard library.

Written from docs/evidence.md alone, so that it shares no fault with the verifier in TypeScript. It does not verify ML-DSA-44: such
signatures count as absent, the verdict names them as not checked, and a policy whose quorum needs them is not met here. It verifies what a time stamp is for, but not who signed
it: --extract writes the time stamps into a folder, and the verdict names the command of OpenSSL that verifies them.

    python3 verify_receipt.py receipt.pdf --policy policy.txt
    python3 verify_receipt.py receipt.json --key 'files.example.org/log/1+cf1b410e+AddamAGC…'

Exit codes: 0 proven, 1 not proven, 2 wrong usage or an unreadable policy.
"""

import argparse
import base64
import hashlib
import json
import os
import re
import sys
import zlib
from datetime import datetime, timedelta, timezone

MAX_BYTES = 64 * 1024 * 1024
MAX_NOTE_BYTES = 64 * 1024
MAX_SIGNATURES = 100
MAX_TOKEN_BYTES = 64 * 1024
MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 16
MAX_TIME = 253_402_300_799  # the last second of the year 9999
CLOCK_TOLERANCE = timedelta(minutes=5)

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)
DECIMAL = re.compile(r"0|[1-9]\d{0,15}", re.ASCII)


class Refused(Exception):
    """A reason for which a receipt is not proven, or a policy not usable."""


# Bytes and texts


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def decode_base64(text, length=None):
    if not isinstance(text, str):
        raise Refused("base64 is expected")
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        raise Refused("a text is not base64") from None
    if base64.b64encode(data).decode("ascii") != text or (length is not None and len(data) != length):
        raise Refused("a base64 text has another length or form than it must have")
    return data


def parse_decimal(text):
    if not DECIMAL.fullmatch(text) or int(text) > MAX_INTEGER:
        raise Refused("a decimal number is malformed")
    return int(text)


def parse_time(text):
    if not isinstance(text, str) or not TIME.fullmatch(text):
        raise Refused("a time is malformed")
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    except ValueError:
        raise Refused("a time does not exist") from None


# Canonical JSON (RFC 8785)


def write_canonical(value, depth=0):
    if depth >= MAX_DEPTH and isinstance(value, (list, dict)):
        raise Refused("the receipt is nested too deeply")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        if abs(value) > MAX_INTEGER:
            raise Refused("a number is too large")
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(write_canonical(item, depth + 1) for item in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    members = (write_canonical(name) + ":" + write_canonical(value[name], depth + 1) for name in names)
    return "{" + ",".join(members) + "}"


def read_canonical(data):
    def refuse_number(text):
        raise Refused(f"{text[:40]} is not an integer")

    try:
        value = json.loads(data.decode("utf-8"), parse_float=refuse_number, parse_constant=refuse_number)
        written = write_canonical(value).encode("utf-8")
    except (ValueError, RecursionError):
        raise Refused("the receipt is not JSON") from None
    if written != data:
        raise Refused("the receipt is not canonical JSON")
    return value


# The receipt in a PDF

NAME = b"receipt.json"
WRITTEN = b"(receipt.json)"
MAX_PIECE = 4 * 1024 * 1024
MAX_NAMED = 10
OBJECT = re.compile(rb"(?<![0-9A-Za-z])([0-9]{1,10}) ([0-9]{1,5}) obj(?![0-9A-Za-z])")
OBJECT_END = re.compile(rb"(?<![0-9A-Za-z])(?:endobj(?![0-9A-Za-z])|stream\r?\n)")
STREAM_END = re.compile(rb"[\0\t\n\f\r ]*endstream[\0\t\n\f\r ]+endobj(?![0-9A-Za-z])")
TOKEN = re.compile(
    rb"%[^\r\n]*|/(?P<name>[^\0\t\n\f\r ()<>\[\]{}/%]*)|<<|>>|<(?P<hex>[0-9A-Fa-f\0\t\n\f\r ]*)>"
    rb"|[\[\]{}<>)]|(?P<string>\()|[^\0\t\n\f\r ()<>\[\]{}/%]+"
)
MARK = re.compile(rb"\\.|[()]", re.DOTALL)
ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|(\r\n|.))", re.DOTALL)
ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f", b"\n": b"", b"\r": b"", b"\r\n": b""}


def find_string_end(text, start):
    depth = 0
    for mark in MARK.finditer(text, start):
        depth += {b"(": 1, b")": -1}.get(mark.group(), 0)
        if depth == 0:
            return mark.end()
    return len(text)


def decode_escape(match):
    octal, one = match.groups()
    return bytes([int(octal, 8) & 0xFF]) if octal is not None else ESCAPED.get(one, one)


def decode_pdf_text(data):
    """Removes the marks and zero bytes of UTF-16 and UTF-8, which is enough to recognise a name in ASCII."""
    if data.startswith(b"\xfe\xff"):
        return re.sub(rb"\0(.)", rb"\1", data[2:], flags=re.DOTALL)
    if data.startswith(b"\xff\xfe"):
        return re.sub(rb"(.)\0", rb"\1", data[2:], flags=re.DOTALL)
    return data.removeprefix(b"\xef\xbb\xbf")


def list_tokens(text):
    """Returns kind, decoded value and notation of each token of a PDF outside its streams."""
    if len(text) > MAX_PIECE:
        raise Refused("the PDF is not of the form that receipts have")
    tokens, position = [], 0
    while match := TOKEN.search(text, position):
        position, raw = match.end(), match.group()
        if raw.startswith(b"%"):
            continue
        if match.group("name") is not None:
            value = re.sub(rb"#([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found.group(1).decode()), raw[1:])
            tokens.append(("name", value, raw))
        elif match.group("hex") is not None:
            digits = re.sub(rb"[^0-9A-Fa-f]", b"", raw).decode()
            tokens.append(("string", decode_pdf_text(bytes.fromhex(digits + "0" * (len(digits) % 2))), raw))
        elif match.group("string"):
            position = find_string_end(text, match.start())
            inner = text[match.start() + 1 : position - 1]
            tokens.append(("string", decode_pdf_text(ESCAPE.sub(decode_escape, inner)), b"(" + inner + b")"))
        else:
            tokens.append(("other", raw, raw))
    return tokens


def read_members(tokens):
    """Returns the notation of each member of the outermost dictionary. One that occurs twice has no form that is accepted."""
    members, depth, member = {}, 0, None
    for kind, value, raw in tokens:
        if raw in (b">>", b"]"):
            depth -= 1
        if depth == 1 and kind == "name" and member != []:
            member = members.setdefault(value, [])
            if member:
                member.append(raw)
        elif depth >= 1 and member is not None:
            member.append(raw)
        if raw in (b"<<", b"["):
            depth += 1
    return {name: b" ".join(value) for name, value in members.items()}


def list_pdf_objects(data):
    """Yields the name, the tokens and the stream (or None) of each object, and the tokens between them without a name."""
    position = 0
    while start := OBJECT.search(data, position):
        yield b"", list_tokens(data[position : start.start()]), None
        end = OBJECT_END.search(data, start.end())
        if not end:
            raise Refused("an object of the PDF has no end")
        tokens, stream, position = list_tokens(data[start.end() : end.start()]), None, end.end()
        if not end.group().startswith(b"endobj"):
            length = read_members(tokens).get(b"Length", b"")
            if not re.fullmatch(rb"[0-9]{1,10}", length):
                raise Refused("a stream of the PDF has no length")
            stop = STREAM_END.match(data, end.end() + int(length))
            if not stop:
                raise Refused("a stream of the PDF has no end")
            stream, position = data[end.end() : end.end() + int(length)], stop.end()
        yield b"%d %d" % (int(start.group(1)), int(start.group(2))), tokens, stream
    yield b"", list_tokens(data[position:]), None


def is_named(token):
    return token[0] == "string" and token[1] == NAME


def is_named_once(specification, named):
    """Returns whether the name is that of the specification alone, and of lists that lead to it."""
    name, tokens = specification
    members = read_members(tokens)
    names = [members.get(key) for key in (b"F", b"UF") if key == b"F" or key in members]
    if any(written != WRITTEN for written in names) or sum(map(is_named, tokens)) != len(names):
        return False
    reference = WRITTEN + b" " + name + b" R"
    return all(
        b" ".join(raw for _, _, raw in others[at : at + 4]) == reference
        for _, others in named
        if others is not tokens
        for at, token in enumerate(others)
        if is_named(token)
    )


def extract_receipt(data):
    if not data.startswith(b"%PDF-"):
        return data
    named = []
    for name, tokens, _ in list_pdf_objects(data):
        if any(map(is_named, tokens)):
            named.append((name, tokens))
        if len(named) > MAX_NAMED:
            raise Refused("the PDF has two receipts")
    specifications = [(name, tokens) for name, tokens in named if b"EF" in read_members(tokens)]
    if len(specifications) != 1:
        raise Refused("the PDF has two receipts" if specifications else "the PDF has no attachment receipt.json")
    (specification,) = specifications
    place = re.fullmatch(rb"<< /F ([0-9]+ [0-9]+) R >>", read_members(specification[1])[b"EF"])
    if not place or place.group(1) == specification[0] or not is_named_once(specification, named):
        raise Refused("the PDF names receipt.json in another way than receipts do")
    found = []
    for name, tokens, stream in list_pdf_objects(data):
        if any(kind == "name" and value in (b"ObjStm", b"Encrypt") for kind, value, _ in tokens):
            raise Refused("the PDF may hide another receipt.json")
        if name in (place.group(1), specification[0]):
            found.append((name, read_members(tokens), stream))
    if len(found) > 2:
        raise Refused("the PDF has two receipts")
    streams = [(head, stream) for name, head, stream in found if name == place.group(1) and stream is not None]
    if not streams:
        raise Refused("the attachment of the PDF is missing")
    ((head, stream),) = streams
    if b"DecodeParms" in head or head.get(b"Filter", b"/FlateDecode") != b"/FlateDecode":
        raise Refused("the attachment of the PDF is encoded in an unknown way")
    if b"Filter" not in head:
        return stream
    inflater = zlib.decompressobj()
    try:
        receipt = inflater.decompress(stream, MAX_BYTES + 1)
    except zlib.error:
        raise Refused("the attachment of the PDF is damaged") from None
    if len(receipt) > MAX_BYTES or not inflater.eof or inflater.unused_data:
        raise Refused("the attachment of the PDF is too large, cut off or damaged")
    return receipt


# Ed25519 (RFC 8032, section 5.1.7)

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def recover_x(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def decode_point(data):
    number = int.from_bytes(data, "little")
    y = number & (2**255 - 1)
    x = recover_x(y, number >> 255)
    return None if x is None else (x, y, 1, x * y % P)


def add_points(a, b):
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    g = 2 * a[3] * b[3] * D % P
    h = 2 * a[2] * b[2] % P
    e, f, g, h = f - e, h - g, h + g, f + e
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply_point(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add_points(result, point)
        point = add_points(point, point)
        scalar >>= 1
    return result


BASE = decode_point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_identity(point):
    return point[0] % P == 0 and (point[1] - point[2]) % P == 0


def verify_ed25519(public_key, message, signature):
    key, r = decode_point(public_key), decode_point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or key is None or r is None or s >= ORDER or is_identity(key):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % ORDER
    left, right = multiply_point(s, BASE), add_points(r, multiply_point(k, key))
    if (left[0] * right[2] - right[0] * left[2]) % P or (left[1] * right[2] - right[1] * left[2]) % P:
        return False
    return is_identity(multiply_point(ORDER, key)) and is_identity(multiply_point(ORDER, r))


# Keys, notes and checkpoints

ED25519, COSIGNATURE, ML_DSA_44 = 1, 4, 6
KEY_NAME = r"[^\s+\x00-\x1f\x7f\ufeff]+"
KEY_BYTES = {ED25519: 32, COSIGNATURE: 32, ML_DSA_44: 1312}


class Key:
    def __init__(self, vkey):
        match = re.fullmatch(rf"({KEY_NAME})\+([0-9a-f]{{8}})\+(\S+)", vkey)
        if not match:
            raise Refused("a key is malformed")
        self.name, identifier, encoded = match.groups()
        data = decode_base64(encoded)
        self.type, self.public_key = data[0] if data else 0, data[1:]
        if KEY_BYTES.get(self.type) != len(self.public_key):
            raise Refused(f"the key of {self.name} has an unknown type or a wrong length")
        self.id = sha256(self.name.encode(), b"\n", data)[:4]
        if self.id.hex() != identifier:
            raise Refused(f"the key of {self.name} does not have the id that it states")

    def verify(self, text, signature):
        """Returns whether a signature is right, and its time if it has one."""
        if self.type == ED25519:
            return verify_ed25519(self.public_key, text.encode(), signature), None
        time = int.from_bytes(signature[:8], "big")
        if len(signature) != 72 or time > MAX_TIME:
            return False, None
        message = f"cosignature/v1\ntime {time}\n{text}".encode()
        return verify_ed25519(self.public_key, message, signature[8:]), time


def open_note(note, keys):
    """Returns the text of a note, the keys that signed it with their times, and the signatures that were not checked."""
    if re.search(r"[\x00-\x09\x0b-\x1f]", note):
        raise Refused("a checkpoint has control characters")
    text, separator, lines = note.rpartition("\n\n")
    text += "\n"
    if not separator or not lines.endswith("\n"):
        raise Refused("a checkpoint is not a signed note")
    signed, unchecked, seen = {}, [], set()
    for count, line in enumerate(lines[:-1].split("\n"), 1):
        if count > MAX_SIGNATURES:
            raise Refused("a checkpoint has too many signatures")
        match = re.fullmatch(rf"\u2014 ({KEY_NAME}) (\S+)", line)
        if not match:
            raise Refused("a checkpoint has a malformed signature")
        name, data = match.group(1), decode_base64(match.group(2))
        if len(data) < 5:
            raise Refused("a checkpoint has a malformed signature")
        known = [key for key in keys if (key.name, key.id) == (name, data[:4])]
        if not known:
            unchecked.append(f"{name}, of a key that you did not name")
        for key in known:
            if key in seen:
                raise Refused(f"{name} signed twice")
            seen.add(key)
            if key.type == ML_DSA_44:
                unchecked.append(f"{name}, ML-DSA-44")
                continue
            is_right, time = key.verify(text, data[4:])
            if not is_right:
                raise Refused(f"the signature of {name} is wrong")
            signed[key] = time
    return text, signed, unchecked


def parse_checkpoint(text):
    lines = text.split("\n")
    if len(lines) < 4 or not lines[0] or any(not line for line in lines[:-1]):
        raise Refused("a checkpoint is malformed")
    return lines[0], parse_decimal(lines[1]), decode_base64(lines[2], 32)


# Policies


class Policy:
    def __init__(self, text):
        self.logs, self.witnesses, self.groups, self.quorum = [], {}, {}, None
        members = set()
        for line in text.split("\n"):
            items = re.split("[ \t]+", line.strip(" \t"))
            if items[0] == "" or items[0].startswith("#"):
                continue
            kind, rest = items[0], items[1:]
            if kind == "log" and len(rest) in (1, 2):
                self.logs.append(Key(rest[0]))
            elif kind == "witness" and len(rest) in (2, 3):
                self.require_new_name(rest[0])
                self.witnesses[rest[0]] = Key(rest[1])
            elif kind == "group" and len(rest) >= 3:
                self.require_new_name(rest[0])
                for name in rest[2:]:
                    if name in members or name not in self.witnesses and name not in self.groups:
                        raise Refused(f"the policy names {name} twice, or before it is defined")
                    members.add(name)
                count = {"all": len(rest) - 2, "any": 1}.get(rest[1])
                count = parse_decimal(rest[1]) if count is None else count
                if not 1 <= count <= len(rest) - 2:
                    raise Refused(f"the group {rest[0]} requires a wrong number of members")
                self.groups[rest[0]] = (count, rest[2:])
            elif kind == "quorum" and len(rest) == 1 and self.quorum is None:
                if rest[0] != "none" and rest[0] not in self.witnesses and rest[0] not in self.groups:
                    raise Refused(f"the quorum {rest[0]} is not defined")
                self.quorum = rest[0]
            else:
                raise Refused(f"the policy has a line that is not understood: {line.strip()[:60]}")
        if self.quorum is None:
            raise Refused("the policy has no quorum")
        for keys in (self.logs, list(self.witnesses.values())):
            if len({key.public_key for key in keys}) != len(keys):
                raise Refused("the policy has a key twice")

    def require_new_name(self, name):
        if name == "none" or name in self.witnesses or name in self.groups:
            raise Refused(f"the policy defines {name} twice")

    def has_cosigned(self, name, signed):
        if name == "none":
            return True
        if name in self.witnesses:
            return self.witnesses[name] in signed
        count, members = self.groups[name]
        return sum(self.has_cosigned(member, signed) for member in members) >= count

    def open_checkpoint(self, note):
        keys = self.logs + list(self.witnesses.values())
        text, signed, unchecked = open_note(note, keys)
        origin, size, root = parse_checkpoint(text)
        if not any(key in signed and key.name == origin for key in self.logs):
            raise Refused(f"no key that you trust has signed the checkpoint of {origin}")
        if not self.has_cosigned(self.quorum, signed):
            raise Refused(f"too few witnesses have cosigned the checkpoint of {origin}")
        cosigned = {name: signed[key] for name, key in self.witnesses.items() if key in signed}
        return {"origin": origin, "size": size, "root": root, "witnesses": cosigned, "unchecked": unchecked}


# The tree (RFC 6962)


def is_included(leaf_hash, index, size, root, proof):
    if index >= size:
        return False
    fn, sn, value = index, size - 1, leaf_hash
    for sibling in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            value = sha256(b"\x01", sibling, value)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            value = sha256(b"\x01", value, sibling)
        fn >>= 1
        sn >>= 1
    return sn == 0 and value == root


def is_beginning(old_size, old_root, new_size, new_root, proof):
    if not 0 < old_size <= new_size:
        return False
    if old_size == new_size:
        return not proof and old_root == new_root
    hashes = list(proof) if old_size & (old_size - 1) else [old_root, *proof]
    if not hashes:
        return False
    fn, sn = old_size - 1, new_size - 1
    while fn & 1:
        fn >>= 1
        sn >>= 1
    old = new = hashes[0]
    for sibling in hashes[1:]:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            old, new = sha256(b"\x01", sibling, old), sha256(b"\x01", sibling, new)
            while not fn & 1 and fn:
                fn >>= 1
                sn >>= 1
        else:
            new = sha256(b"\x01", new, sibling)
        fn >>= 1
        sn >>= 1
    return sn == 0 and old == old_root and new == new_root


# Time stamps (RFC 3161)

SHA256_ID = bytes.fromhex("608648016503040201")
SIGNED_DATA_ID = bytes.fromhex("2a864886f70d010702")
TIME_STAMP_ID = bytes.fromhex("2a864886f70d0109100104")
INTEGER, OCTETS, IDENTIFIER, GENERALIZED_TIME, SEQUENCE, SET = 0x02, 0x04, 0x06, 0x18, 0x30, 0x31
GENERALIZED = re.compile(rb"(\d{14})(?:\.\d+)?Z")


def read_der(data, at=0, depth=0):
    """Returns the tag, the content and the end of an element."""
    if len(data) < at + 2 or data[at] & 0x1F == 0x1F or data[at] == 0 or depth > 32:
        raise Refused("a time stamp cannot be read")
    tag, length, start = data[at], data[at + 1], at + 2
    if length == 0x80 and tag & 0x20:
        end = start
        while data[end : end + 2] != b"\0\0":
            end = read_der(data, end, depth + 1)[2]
        return tag, data[start:end], end + 2
    if length >= 0x80:
        digits = length & 0x7F
        start += digits
        if not 1 <= digits <= 4 or start > len(data):
            raise Refused("a time stamp cannot be read")
        length = int.from_bytes(data[start - digits : start], "big")
    if start + length > len(data):
        raise Refused("a time stamp is cut off")
    return tag, data[start : start + length], start + length


def list_der(elements):
    listed, at = [], 0
    while at < len(elements):
        tag, content, at = read_der(elements, at)
        listed.append((tag, content))
    return listed


def take(elements, *tags):
    """Reads the contents of the first elements, which must have these tags."""
    listed = list_der(elements)
    if [tag for tag, _ in listed[: len(tags)]] != list(tags):
        raise Refused("a time stamp is malformed")
    return [content for _, content in listed[: len(tags)]]


def read_time_stamp(token):
    """Returns what a token is for, as SHA-256, and the time that it states. Its signature is not verified."""
    tag, content, end = read_der(token)
    if tag != SEQUENCE or end != len(token):
        raise Refused("a time stamp is malformed")
    kind, outer = take(content, IDENTIFIER, 0xA0)
    (signed,) = take(outer, SEQUENCE)
    _version, _digests, inner = take(signed, INTEGER, SET, SEQUENCE)
    inner_kind, wrapped = take(inner, IDENTIFIER, 0xA0)
    if kind != SIGNED_DATA_ID or inner_kind != TIME_STAMP_ID:
        raise Refused("a time stamp is of another kind")
    is_split = wrapped[:1] == bytes([OCTETS | 0x20])
    (info,) = take(wrapped, OCTETS | 0x20 if is_split else OCTETS)
    if is_split:
        info = b"".join(take(info, *[OCTETS] * len(list_der(info))))
    (fields,) = take(info, SEQUENCE)
    version, _policy, imprint, _serial, time = take(fields, INTEGER, IDENTIFIER, SEQUENCE, INTEGER, GENERALIZED_TIME)
    algorithm, digest = take(imprint, SEQUENCE, OCTETS)
    match = GENERALIZED.fullmatch(time)
    if int.from_bytes(version[:5], "big") != 1 or take(algorithm, IDENTIFIER) != [SHA256_ID] or not match:
        raise Refused("a time stamp is not understood")
    try:
        at = datetime.strptime(match.group(1).decode("ascii"), "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
    except ValueError:
        raise Refused("a time stamp states a time that does not exist") from None
    return digest, at.isoformat()


def check_time_stamps(receipt, checkpoints):
    """Returns what was stamped, with its token, the time that it states, and how many events it covers."""
    stamps = receipt.get("time_stamps", [])
    places = [(stamp["checkpoint"], stamp["size"]) for stamp in stamps]
    if any(a >= b for a, b in zip(places, places[1:])):
        raise Refused("the time stamps are not in order")
    checked = []
    for stamp in stamps:
        if stamp["checkpoint"] >= len(checkpoints):
            raise Refused("a time stamp names a checkpoint that the receipt does not have")
        checkpoint, size = checkpoints[stamp["checkpoint"]], stamp["size"]
        root, token = decode_base64(stamp["root"], 32), decode_base64(stamp["token"])
        proof = [decode_base64(item, 32) for item in stamp["proof"]]
        if not is_beginning(size, root, checkpoint["size"], checkpoint["root"], proof):
            raise Refused("the log does not begin with what was stamped")
        text = f"{checkpoint['origin']}\n{size}\n{stamp['root']}\n"
        digest, at = read_time_stamp(token)
        if digest != sha256(text.encode()):
            raise Refused("a time stamp is for something else")
        covered = [
            entry for entry in receipt["entries"] if entry["checkpoint"] == stamp["checkpoint"] and entry["index"] < size
        ]
        if not covered:
            raise Refused("a time stamp covers no event")
        checked.append({"text": text, "token": stamp["token"], "at": at, "events": len(covered)})
    return checked


# The data of events: a check for each kind


def is_object(value):
    return isinstance(value, dict)


def is_text(value, maximum=4_096):
    return isinstance(value, str) and len(value.encode("utf-16-le")) <= 2 * maximum


def is_short(value):
    return is_text(value, 100)


def is_count(value):
    return type(value) is int and value >= 0


def is_boolean(value):
    return isinstance(value, bool)


def is_time(value):
    try:
        return bool(parse_time(value))
    except Refused:
        return False


def one_of(*texts):
    return lambda value: isinstance(value, str) and value in texts


def matching(pattern):
    return lambda value: isinstance(value, str) and bool(re.fullmatch(pattern, value))


def null_or(check):
    return lambda value: value is None or check(value)


def list_of(check):
    return lambda value: isinstance(value, list) and len(value) <= 100_000 and all(map(check, value))


def has(optional=None, **required):
    """Returns a check of an object with these members, and perhaps others."""

    def check(value):
        return (
            is_object(value)
            and all(name in value and is_right(value[name]) for name, is_right in required.items())
            and all(name not in value or is_right(value[name]) for name, is_right in (optional or {}).items())
        )

    return check


IS_HASH = matching("[0-9a-f]{64}")
IS_DAY = matching("[0-9]{4}-[0-9]{2}-[0-9]{2}")
IS_FILE = has(name=is_text, size=is_count, sha256=IS_HASH)
EVENT_DATA = {
    "submission.accepted": has(
        reference=is_short,
        type=one_of("drop", "request"),
        sender=has(address=is_text, by=is_short),
        files=list_of(IS_FILE),
        receivers=is_count,
        expires_at=null_or(is_time),
        message_sha256=null_or(IS_HASH),
    ),
    "drop.extended": has(expires_at=null_or(is_time)),
    "drop.expired": has(key_day=null_or(IS_DAY)),
    "drop.revoked": has(by=is_text, key_day=null_or(IS_DAY)),
    "drop.restored": has(by=is_text),
    "content.consigned": has(
        {"name": is_text, "passphrase": is_boolean, "shared": one_of("named", "anybody")},
        address=is_text,
        code=one_of("none", "mail", "sms"),
        notified=is_boolean,
    ),
    "notification.sent": has({"response": is_text}, channel=is_short, to=is_text, purpose=is_short),
    "notification.accepted": has({"server": is_text}, to=is_text, status=is_text),
    "notification.failed": has({"status": is_text}, to=is_text, reason=is_text),
    "link.shown": has(by=is_text),
    "link.revoked": has(by=is_text),
    "link.downloaded": has(downloads=is_count),
    "code.entered": has(channel=is_short),
    "passphrase.entered": has(),
    "content.handed_over": has(file=IS_FILE, via=is_short),
    "content.received": has(reference=is_short, files=list_of(IS_FILE)),
    "key.destroyed": has(day=IS_DAY),
    "log.started": has(
        origin=is_text, previous=null_or(has(origin=is_text, size=is_count, root=is_short)), reason=is_text
    ),
    "log.key_added": has(key=is_text),
    "log.key_retired": has(key=is_text),
}


# Receipts


def require_shape(value, required, optional=()):
    if not isinstance(value, dict) or not set(required) <= set(value) <= set(required) | set(optional):
        raise Refused("the receipt has other members than it must have")


def require_list(value, minimum, maximum):
    if not isinstance(value, list) or not minimum <= len(value) <= maximum:
        raise Refused("a list of the receipt is too short, too long or missing")


def require_count(value):
    if not is_count(value):
        raise Refused("a number of the receipt is not a count")


def require_text(value, pattern=None):
    if not isinstance(value, str) or (pattern and not pattern.fullmatch(value)):
        raise Refused("a text of the receipt is malformed")


def check_shape(receipt):
    require_shape(receipt, ("type", "drop", "receiver", "issued_at", "checkpoints", "entries"), ("time_stamps",))
    if receipt["type"] != "waybill-receipt@v1":
        raise Refused("the file is not a receipt of a version that is known")
    require_text(receipt["drop"], UUID)
    require_count(receipt["receiver"])
    parse_time(receipt["issued_at"])
    require_list(receipt["checkpoints"], 1, 100)
    for note in receipt["checkpoints"]:
        require_text(note)
        if len(note.encode()) > MAX_NOTE_BYTES:
            raise Refused("a checkpoint is too large")
    require_list(receipt["entries"], 1, 100_000)
    for entry in receipt["entries"]:
        check_entry(entry)
    if "time_stamps" in receipt:
        require_list(receipt["time_stamps"], 1, 100)
        for stamp in receipt["time_stamps"]:
            check_time_stamp(stamp)


def check_time_stamp(stamp):
    require_shape(stamp, ("checkpoint", "proof", "root", "size", "token"))
    require_count(stamp["checkpoint"])
    require_count(stamp["size"])
    require_list(stamp["proof"], 0, 63)
    decode_base64(stamp["root"], 32)
    if len(decode_base64(stamp["token"])) > MAX_TOKEN_BYTES:
        raise Refused("a time stamp is too large")


def check_entry(entry):
    require_shape(entry, ("checkpoint", "event", "index", "proof", "salt"))
    require_count(entry["checkpoint"])
    require_count(entry["index"])
    require_list(entry["proof"], 0, 63)
    check_event(entry["event"])


def check_event(event):
    require_shape(event, ("at", "data", "id", "kind", "number"), ("drop", "receiver"))
    parse_time(event["at"])
    if not isinstance(event["data"], dict):
        raise Refused("an event has no data")
    require_text(event["id"], UUID)
    if not is_short(event["kind"]):
        raise Refused("the kind of an event is malformed")
    require_count(event["number"])
    if "drop" in event:
        require_text(event["drop"], UUID)
    if "receiver" in event:
        require_count(event["receiver"])
    if not EVENT_DATA.get(event["kind"], is_object)(event["data"]):
        raise Refused(f"an event does not have the data of its kind, {event['kind']}")


def check_inclusion(entry, checkpoints):
    if entry["checkpoint"] >= len(checkpoints):
        raise Refused("an entry names a checkpoint that the receipt does not have")
    checkpoint = checkpoints[entry["checkpoint"]]
    event = write_canonical(entry["event"]).encode("utf-8")
    commitment = sha256(decode_base64(entry["salt"], 32), event)
    proof = [decode_base64(item, 32) for item in entry["proof"]]
    leaf_hash = sha256(b"\x00", commitment)
    if not is_included(leaf_hash, entry["index"], checkpoint["size"], checkpoint["root"], proof):
        raise Refused(f"the log does not contain the event {entry['event']['kind']} at {entry['index']}")


def split_stories(receipt):
    drop, receiver, others = [], [], []
    for entry in receipt["entries"]:
        event = entry["event"]
        if event.get("drop") == receipt["drop"] and "receiver" not in event:
            drop.append(event)
        elif event.get("drop") == receipt["drop"] and event["receiver"] == receipt["receiver"]:
            receiver.append(event)
        else:
            others.append(event)
    for story, first in ((drop, "submission.accepted"), (receiver, "content.consigned")):
        if [event["number"] for event in story] != list(range(len(story))):
            raise Refused("the receipt leaves out an event")
        if not story or story[0]["kind"] != first:
            raise Refused(f"the receipt does not begin with {first}")
    days = [event["data"].get("key_day") for event in drop if event["kind"] in ("drop.expired", "drop.revoked")]
    for event in others:
        is_of_log = "drop" not in event and "receiver" not in event
        day = event["data"].get("day")
        if not is_of_log or event["kind"] != "key.destroyed" or not isinstance(day, str) or day not in days:
            raise Refused(f"the event {event['kind']} does not belong to this receipt")
    return drop, receiver, others


def list_remarks(receipt, checkpoints, stories):
    remarks = []
    for story in stories:
        latest = None
        for event in story:
            at = parse_time(event["at"])
            if latest and at < latest - CLOCK_TOLERANCE:
                remarks.append(f"the clock was set back before {event['kind']} at {event['at']}")
            latest = max(latest, at) if latest else at
    for entry in receipt["entries"]:
        for name, time in checkpoints[entry["checkpoint"]]["witnesses"].items():
            if parse_time(entry["event"]["at"]).timestamp() > time + CLOCK_TOLERANCE.total_seconds():
                remarks.append(f"{entry['event']['kind']} has a time after the cosignature of {name}")
    return remarks


def verify_receipt(data, policy):
    """Returns the facts that a receipt proves, or raises Refused."""
    if len(data) > MAX_BYTES:
        raise Refused("the file is too large")
    data = extract_receipt(data)
    receipt = read_canonical(data)
    check_shape(receipt)
    checkpoints = [policy.open_checkpoint(note) for note in receipt["checkpoints"]]
    if len({checkpoint["origin"] for checkpoint in checkpoints}) != len(checkpoints):
        raise Refused("two checkpoints are of the same log")
    places = [(entry["checkpoint"], entry["index"]) for entry in receipt["entries"]]
    if any(a >= b for a, b in zip(places, places[1:])):
        raise Refused("the entries are not in order")
    for entry in receipt["entries"]:
        check_inclusion(entry, checkpoints)
    drop, receiver, others = split_stories(receipt)
    time_stamps = check_time_stamps(receipt, checkpoints)
    if any("test" in entry["event"]["data"] for entry in receipt["entries"]):
        raise Refused("its events are those of a test: it is no evidence of a delivery")
    return {
        "checkpoints": [{**item, "root": item["root"].hex()} for item in checkpoints],
        "events": [entry["event"] for entry in receipt["entries"]],
        "time_stamps": time_stamps,
        "remarks": list_remarks(receipt, checkpoints, (drop, receiver)),
        "is_link_shown": any(event["kind"] == "link.shown" for event in receiver),
        "is_code_required": any(
            event["kind"] == "content.consigned" and event["data"].get("code") != "none" for event in receiver
        ),
        "is_code_entered": any(event["kind"] == "code.entered" for event in receiver),
        "is_key_destroyed": bool(others),
    }


def describe_seconds(seconds):
    try:
        return datetime.fromtimestamp(seconds, timezone.utc).isoformat()
    except (ValueError, OverflowError, OSError):
        return f"{seconds} seconds after 1970"


def describe_facts(facts):
    for event in facts["events"]:
        yield f"{event['at']}  {event['kind']}  {write_canonical(event['data'])}"
    for checkpoint in facts["checkpoints"]:
        yield f"log {checkpoint['origin']}, {checkpoint['size']} entries"
        for name, time in checkpoint["witnesses"].items():
            yield f"cosigned by {name} at {describe_seconds(time)}"
        for signature in checkpoint["unchecked"]:
            yield f"not checked: the signature of {signature}"
    for place, stamp in enumerate(facts["time_stamps"], 1):
        files = f"-data time-stamp-{place}.txt -in time-stamp-{place}.tst"
        yield f"not checked: a time stamp states that the log had the first {stamp['events']} events at {stamp['at']}"
        yield f"to check it: --extract FOLDER, then openssl ts -verify {files} -token_in -CAfile CERTIFICATES"
    yield f"a code was {'required' if facts['is_code_required'] else 'not required'}"
    yield f"a code was {'entered' if facts['is_code_entered'] else 'not entered'}"
    yield f"the sender {'was shown' if facts['is_link_shown'] else 'was not shown'} the receiver's link"
    for remark in facts["remarks"]:
        yield f"remark: {remark}"


def extract_time_stamps(facts, folder):
    for place, stamp in enumerate(facts["time_stamps"], 1):
        for ending, content in ("txt", stamp["text"].encode()), ("tst", base64.b64decode(stamp["token"])):
            with open(os.path.join(folder, f"time-stamp-{place}.{ending}"), "wb") as file:
                file.write(content)


def main():
    parser = argparse.ArgumentParser(description="Verify a Waybill receipt offline.")
    parser.add_argument("file", help="the receipt, as PDF or JSON")
    trust = parser.add_mutually_exclusive_group(required=True)
    trust.add_argument("--key", help="the key of the log")
    trust.add_argument("--policy", help="a file with the logs and witnesses that you trust")
    parser.add_argument("--extract", metavar="FOLDER", help="write the time stamps and what they are for into a folder")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    # A terminal that cannot show a character must not end a verdict, whose exit code says that nothing is proven then.
    sys.stdout.reconfigure(errors="backslashreplace")
    try:
        if options.key:
            policy = Policy(f"log {options.key}\nquorum none\n")
        else:
            with open(options.policy, encoding="utf-8") as file:
                policy = Policy(file.read())
        with open(options.file, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (Refused, OSError, ValueError) as error:
        print(f"verify_receipt: {error}", file=sys.stderr)
        return 2
    try:
        facts = verify_receipt(data, policy)
    except Refused as error:
        print(json.dumps({"isValid": False, "problem": str(error)}) if options.json else f"NOT PROVEN: {error}")
        return 1
    try:
        if options.extract:
            extract_time_stamps(facts, options.extract)
    except OSError as error:
        print(f"verify_receipt: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({"isValid": True, **facts}))
    else:
        print("PROVEN", *describe_facts(facts), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
