"""`datapackage.json`: that it describes just the tables of the folder, and that every cell is what it says.

Sizes, hashes, headers, types, keys, codes. The declared patterns are not run: a pattern is a program, and the folder
may come from anybody.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from app.domain.stats.check.verify_coders import Facts
from app.domain.stats.check.verify_files import Table, read_document
from app.domain.stats.check.verify_ledger import Ledger

NAME = "datapackage.json"
_TYPES = ("string", "boolean", "integer", "number", "array")
Where = tuple[str, str | None, str | None]


def check_package(files: Mapping[str, bytes], tables: Mapping[str, Table], facts: Facts, ledger: Ledger) -> None:
    """Compare the package with the folder's tables and their cells with their schemas."""
    package = read_document(NAME, files[NAME], ledger)
    if package is None:
        return
    listed = package.get("resources")
    resources = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    ledger.same((NAME, None, "resources"), sorted(tables), [str(one.get("path")) for one in resources])
    for resource in resources:
        path = str(resource.get("path"))
        if path in tables:
            _check_resource(resource, (path, files[path], tables[path]), ledger)
    _check_codes(resources, facts, ledger)
    _check_references(resources, tables, ledger)


def _check_resource(resource: dict[str, Any], given: tuple[str, bytes, Table], ledger: Ledger) -> None:
    path, data, (header, rows) = given
    ledger.same((NAME, path, "name"), path.removesuffix(".csv"), resource.get("name"))
    ledger.same((NAME, path, "bytes"), len(data), resource.get("bytes"))
    ledger.same((NAME, path, "hash"), f"sha256:{hashlib.sha256(data).hexdigest()}", resource.get("hash"))
    fields = _fields(resource)
    ledger.same((NAME, path, "fields"), header, [field.get("name") for field in fields])
    ledger.same((NAME, path, "missingValues"), [""], _schema(resource).get("missingValues"))
    if [field.get("name") for field in fields] != header:
        return
    for place, field in enumerate(fields):
        name = str(field["name"])
        if ledger.same((NAME, path, f"{name}: type"), True, field.get("type") in _TYPES):
            _check_column((path, name), field, [cells[place] for cells in rows], ledger)
    _check_key(resource, (path, header, rows), ledger)


def _check_column(where: tuple[str, str], field: dict[str, Any], cells: Iterable[str], ledger: Ledger) -> None:
    path, name = where
    constraints = field.get("constraints")
    bound = constraints if isinstance(constraints, dict) else {}
    allowed = bound.get("enum")
    for number, cell in enumerate(cells, start=2):
        at: Where = (path, str(number), name)
        ledger.checked += 1
        if cell == "":
            if bound.get("required") is True:
                ledger.fault(at, "a value, as the data package requires", "")
        elif not _is_of(str(field.get("type")), cell):
            ledger.fault(at, f"{field.get('type')}, as the data package has it", cell)
        elif isinstance(allowed, list) and cell not in allowed:
            ledger.fault(at, f"one of {', '.join(map(str, allowed))}", cell)


def _is_of(kind: str, cell: str) -> bool:
    if kind == "string":
        return True
    if kind == "boolean":
        return cell in ("true", "false")
    try:
        value = json.loads(cell)
    except (ValueError, RecursionError):
        return False
    if kind == "array":
        return isinstance(value, list)
    return type(value) is int or (kind == "number" and type(value) is float)


def _check_key(resource: dict[str, Any], table: tuple[str, list[str], list[list[str]]], ledger: Ledger) -> None:
    path, header, rows = table
    key = _schema(resource).get("primaryKey")
    named = [str(name) for name in key] if isinstance(key, list) else []
    if not ledger.same((NAME, path, "primaryKey"), True, all(name in header for name in named)) or not named:
        return
    places = [header.index(name) for name in named]
    seen = [tuple(cells[place] for place in places) for cells in rows]
    ledger.same((path, None, f"rows with their own {', '.join(named)}"), len(set(seen)), len(seen))


def _check_codes(resources: list[dict[str, Any]], facts: Facts, ledger: Ledger) -> None:
    """The codes of every closed question in the long table are the manifest's, in its order."""
    long = next((one for one in resources if one.get("path") == "rater_long.csv"), {})
    for field in _fields(long):
        wanted = facts.categories.get(str(field.get("name")))
        constraints = field.get("constraints")
        found = constraints.get("enum") if isinstance(constraints, dict) else None
        if wanted is not None:
            ledger.same((NAME, "rater_long.csv", f"{field.get('name')}: enum"), wanted, found)


def _check_references(resources: list[dict[str, Any]], tables: Mapping[str, Table], ledger: Ledger) -> None:
    """Every claim of a table that refers to another one stands in that one."""
    by_name = {str(one.get("name")): tables.get(str(one.get("path"))) for one in resources}
    for resource in resources:
        keys = _schema(resource).get("foreignKeys")
        own = tables.get(str(resource.get("path")))
        for key in keys if isinstance(keys, list) and own is not None else []:
            reference = key.get("reference") if isinstance(key, dict) else None
            other = by_name.get(str(reference.get("resource"))) if isinstance(reference, dict) else None
            names = key.get("fields") if isinstance(key, dict) else None
            column = str(names[0]) if isinstance(names, list) and len(names) == 1 else ""
            known = set(_column(other, column))
            strange = [value for value in _column(own, column) if value not in known]
            ledger.same((NAME, str(resource.get("path")), f"foreign key {column}"), [], strange[:1])


def _column(table: Table | None, name: str) -> list[str]:
    if table is None or name not in table[0]:
        return []
    place = table[0].index(name)
    return [cells[place] for cells in table[1]]


def _schema(resource: Mapping[str, Any]) -> dict[str, Any]:
    schema = resource.get("schema")
    return schema if isinstance(schema, dict) else {}


def _fields(resource: Mapping[str, Any]) -> list[dict[str, Any]]:
    fields = _schema(resource).get("fields")
    return [field for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []
