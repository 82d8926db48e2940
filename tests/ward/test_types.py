#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# test_types.py - ward types: the JSON schema of a module's messages, and whether what the library
# writes is valid by it.
#
# usage: test_types.py WARD MODULE PRINTER MODULE_WITHOUT_MESSAGES
#
# The validator here has the keywords that the schemas use, and fails for any other one. That it
# refuses something is shown by values that are wrong on purpose.
import copy
import json
import re
import subprocess
import sys

WARD, MODULE, PRINTER, TOYS = sys.argv[1:5]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def check_object(value, schema):
    known = schema.get("properties", {})
    if any(key not in value for key in schema.get("required", [])):
        return False
    if schema.get("additionalProperties") is False and any(key not in known for key in value):
        return False
    return all(is_valid(item, known[key]) for key, item in value.items() if key in known)


RULES = {
    "type": lambda value, wanted, _: is_type(value, wanted),
    "enum": lambda value, wanted, _: value in wanted,
    "const": lambda value, wanted, _: value == wanted,
    "anyOf": lambda value, wanted, _: any(is_valid(value, one) for one in wanted),
    "minimum": lambda value, wanted, _: value >= wanted,
    "maximum": lambda value, wanted, _: value <= wanted,
    "minLength": lambda value, wanted, _: len(value) >= wanted,
    "maxLength": lambda value, wanted, _: len(value) <= wanted,
    "pattern": lambda value, wanted, _: re.search(wanted, value) is not None,
    "minItems": lambda value, wanted, _: len(value) >= wanted,
    "maxItems": lambda value, wanted, _: len(value) <= wanted,
    "items": lambda value, wanted, _: all(is_valid(item, wanted) for item in value),
    "properties": lambda value, _, schema: check_object(value, schema),
    "required": lambda value, _, schema: check_object(value, schema),
    "additionalProperties": lambda value, _, schema: check_object(value, schema),
    "contentEncoding": lambda value, wanted, _: wanted == "base64",
    "description": lambda value, wanted, _: isinstance(wanted, str),
}


def is_valid(value, schema):
    if "type" in schema and not is_type(value, schema["type"]):
        return False
    return all(RULES[word](value, wanted, schema) for word, wanted in schema.items())


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(set(keys)) == len(keys), f"a key is there twice: {keys}"
    return dict(pairs)


def run(*args):
    done = subprocess.run([WARD, *args], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def schemas():
    status, out, errors = run("types", MODULE)
    assert (status, errors) == (0, ""), errors
    document = json.loads(out, object_pairs_hook=unique)
    assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert document["title"] == "parcels"
    return document["$defs"]


def values():
    lines = subprocess.run([PRINTER], capture_output=True, check=True, timeout=60).stdout.splitlines()
    return [json.loads(line, object_pairs_hook=unique) for line in lines]


def types_prints_the_schema_of_each_message():
    found = schemas()
    assert list(found) == ["parcel", "page", "stop"], list(found)
    parcel = found["parcel"]["properties"]["parcel"]
    rows = parcel["properties"]
    assert "late" in rows and "late" not in parcel["required"]
    assert parcel["required"][:3] == ["paid", "zone", "balance"]
    assert (rows["zone"]["minimum"], rows["zone"]["maximum"]) == (1, 255)
    assert rows["part"]["minimum"] == 0.25
    assert rows["speed"]["enum"] == ["slow", "fast"]
    assert rows["late"]["description"] == "since version 2"
    assert rows["wait_ms"]["description"] == "milliseconds"
    assert rows["pieces"]["maxItems"] == 3
    assert rows["pieces"]["items"]["properties"]["size"]["properties"]["width"]["maximum"] == 1000


def what_is_written_is_valid():
    found, count = schemas(), 0
    for value in values():
        (name,) = value
        assert is_valid(value, found[name]), f"not valid: {json.dumps(value)}"
        count += 1
    assert count == 900, count


def what_is_wrong_is_not_valid():
    schema = schemas()["parcel"]
    right = next(value for value in values() if "parcel" in value and value["parcel"]["pieces"])
    wrong = [("zone", 0), ("zone", 256), ("zone", "x"), ("part", 0.8), ("speed", "quick"), ("marks", ["x"]),
             ("note", "x" * 24), ("stamp", "AQID"), ("sender", "#1"), ("size", {"width": 1}), ("late", 10),
             ("balance", 2 ** 53), ("wait_ms", -1), ("pieces", right["parcel"]["pieces"] * 4), ("paid", 1)]
    assert is_valid(right, schema)
    for key, value in wrong:
        body = copy.deepcopy(right)
        body["parcel"][key] = value
        assert not is_valid(body, schema), f"valid: {key} = {value}"
    for key in ("zone", "code"):
        body = copy.deepcopy(right)
        del body["parcel"][key]
        assert not is_valid(body, schema), f"valid: no {key}"


def others_know_the_schema():
    try:
        import jsonschema
    except ImportError:
        return
    for name, schema in schemas().items():
        jsonschema.Draft202012Validator.check_schema(schema)
        for value in values():
            if name in value:
                jsonschema.Draft202012Validator(schema).validate(value)


def modules_without_messages_are_refused():
    status, out, errors = run("types", TOYS)
    assert (status, out) == (2, ""), (status, out)
    assert 'the module "toys" lists no messages: set .messages' in errors, errors
    status, out, errors = run("types", "./none.so")
    assert (status, out) == (2, ""), (status, out)
    assert errors.startswith("ward: ./none.so: cannot be loaded: "), errors
    assert run("types")[0] == 2
    assert run("types", "--quiet", MODULE)[0] == 2


CASES = [types_prints_the_schema_of_each_message, what_is_written_is_valid, what_is_wrong_is_not_valid,
         others_know_the_schema, modules_without_messages_are_refused]
CLAUSES = {case: " [S184]" for case in CASES}

print(f"1..{len(CASES)}")
failed = False
for number, case in enumerate(CASES, 1):
    try:
        case()
        print(f"ok {number} - {case.__name__}{CLAUSES[case]}")
    except (AssertionError, KeyError, ValueError, subprocess.SubprocessError) as error:
        failed = True
        print(f"# {type(error).__name__}: {error}".replace("\n", "\n# "))
        print(f"not ok {number} - {case.__name__}{CLAUSES[case]}")
sys.exit(1 if failed else 0)
