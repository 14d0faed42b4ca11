"""The documentation of the API as a page to read, made from the OpenAPI document."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

ADDRESS = "http://localhost:8765"
"""Where examples ask: the address at which `entvec explore` listens by default."""
GROUPS = {
    "Words and pairs": ("/api/word", "/api/pair", "/api/relation", "/api/score", "/api/hypernyms", "/api/hyponyms"),
    "Taxonomies": ("/api/taxonomy/",),
    "Behind the answers": ("/api/",),
}
"""Which addresses are described together, by how they begin; the first group that fits has an address."""
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · entvec</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/styles/type.css">
<link rel="stylesheet" href="/styles/base.css">
<link rel="stylesheet" href="/styles/shell.css">
<link rel="stylesheet" href="/styles/api.css">
</head>
<body>
<a class="skip" href="#view">Skip to the content</a>
<header class="top">
<a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">entvec</a>
<p class="where">API</p>
</header>
<main id="view" class="api" tabindex="-1">
"""
INTRODUCTION = """<h1>The API</h1>
<p class="lead">{summary}. The page asks these addresses, and so can your programs.</p>
<p>An answer is JSON. A request is an address with parameters (GET), or the same fields as JSON (POST). A list is a
parameter that is repeated: <code>words=apple&amp;words=banana</code>. Lists that are too long for an address need
POST.</p>
<p>Probabilities weigh all evidence, and assume that you ask about pairs as people do:
<code>base_rates</code> of <a href="#relation"><code>/api/relation</code></a> says which share of each relation they
assume. A word that nothing speaks of is no error: it is listed in <code>unknown</code>, with words that are spelled
like it.</p>
<p>A request that is refused has a status of 4xx or 503, and an <code>error</code> with a <code>kind</code> for programs
and a <code>message</code> for people. For machines, the same description is
<a href="/api/openapi.json">/api/openapi.json</a> (OpenAPI 3.1).</p>
"""


def page(document: Mapping[str, Any]) -> bytes:
    """Return the documentation of an OpenAPI document as HTML.

    >>> from entvec.explore.openapi import description
    >>> b"/api/hypernyms" in page(description())
    True
    """
    parts = [HEAD, INTRODUCTION.format(summary=escape(document["info"]["summary"])), *_contents(document)]
    for title, paths in _grouped(document).items():
        parts.append(f"<h2>{escape(title)}</h2>\n")
        for path in paths:
            parts += _endpoint(path, document)
    parts.append("<h2 id='models'>What answers consist of</h2>\n")
    for name, schema in _models(document).items():
        parts += [f"<section class='model' id='{_anchor(name)}'><h3>{escape(name)}</h3>"]
        parts += [f"<p>{escape(schema.get('description', ''))}</p>", *_fields(schema), "</section>\n"]
    parts.append("</main>\n</body>\n</html>\n")
    return "".join(parts).encode()


def examples(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the path, the curl command and the Python program of each example."""
    for path in document["paths"]:
        yield path, *_example(path, document)


def _grouped(document: Mapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {title: [] for title in GROUPS}
    for path in document["paths"]:
        found[next(title for title, starts in GROUPS.items() if path.startswith(starts))].append(path)
    return {title: paths for title, paths in found.items() if paths}


def _contents(document: Mapping[str, Any]) -> Iterator[str]:
    yield "<nav class='contents' aria-label='Addresses'>\n"
    for title, paths in _grouped(document).items():
        yield f"<p>{escape(title)}</p><ul>"
        for path in paths:
            yield f"<li><a href='#{_anchor(path)}'><code>{escape(path)}</code></a></li>"
        yield "</ul>\n"
    yield "</nav>\n"


def _endpoint(path: str, document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the section of one address: what it answers, its parameters, an example, and the fields of the answer."""
    methods = document["paths"][path]
    operation = next(iter(methods.values()))
    named = "".join(f"<span class='method'>{method.upper()}</span>" for method in methods)
    yield f"<section class='endpoint' id='{_anchor(path)}'>\n<h3><code>{escape(path)}</code> {named}</h3>\n"
    yield f"<p>{escape(operation['summary'])}</p>\n"
    in_address = {each["name"]: each["schema"] for each in methods.get("get", {}).get("parameters", [])}
    needed = {each["name"] for each in methods.get("get", {}).get("parameters", []) if each["required"]}
    body = _body(methods, document)
    fields = in_address | body.get("properties", {})
    if fields:
        yield "<div class='scrolled' tabindex='0' role='group' aria-label='Parameters'><table><thead><tr>"
        yield "<th scope='col'>parameter</th><th scope='col'>type</th><th scope='col'>default</th>"
        yield "<th scope='col'>meaning</th></tr></thead><tbody>\n"
        for name, schema in fields.items():
            required = name in needed or name in body.get("required", ())
            where = _where(name, in_address, body, list(methods))
            yield _row(name, schema, "required" if required else _default(schema), where)
        yield "</tbody></table></div>\n"
    curl, program = _example(path, document)
    yield f"<figure class='example'><figcaption>curl</figcaption><pre tabindex='0'>{escape(curl)}</pre></figure>\n"
    yield f"<figure class='example'><figcaption>Python</figcaption><pre tabindex='0'>{escape(program)}</pre></figure>\n"
    if "get" in methods:
        yield f"<p><a href='{escape(_address(path, document))}'>Open this answer</a></p>\n"
    answer = operation["responses"]["200"]["content"]["application/json"]["schema"]
    schema = _resolved(answer, document)
    yield f"<details><summary>The answer: {escape(schema.get('description', ''))}</summary>"
    yield from _fields(schema)
    yield "</details>\n</section>\n"


def _where(name: str, in_address: Mapping[str, Any], body: Mapping[str, Any], methods: list[str]) -> str:
    """Return a remark on a field that only one of the two methods has."""
    if len(methods) < 2 or (name in in_address and name in body.get("properties", {})):
        return ""
    return "GET only" if name in in_address else "POST only"


def _row(name: str, schema: Mapping[str, Any], default: str, where: str = "") -> str:
    said = f"<span class='only'>{where}</span> " if where else ""
    cells = f"<td>{_type(schema)}</td><td>{default}</td><td>{said}{escape(schema.get('description', ''))}</td>"
    return f"<tr><th scope='row'><code>{escape(name)}</code></th>{cells}</tr>\n"


def _fields(schema: Mapping[str, Any]) -> Iterator[str]:
    yield "<dl class='fields'>"
    for name, field in schema.get("properties", {}).items():
        meaning = field.get("description", "")
        yield f"<div><dt><code>{escape(name)}</code> <span>{_type(field)}</span></dt>"
        yield f"<dd>{escape(meaning)}</dd></div>" if meaning else "</div>"
    yield "</dl>"


def _default(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    return "" if value is None else f"<code>{escape(json.dumps(value))}</code>"


def _type(schema: Mapping[str, Any]) -> str:
    """Return what values a schema allows, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"<a href='#{_anchor(name)}'>{escape(name)}</a>"
    options = schema.get("anyOf", schema.get("oneOf"))
    if options:
        return " or ".join(dict.fromkeys(map(_type, options)))
    if "enum" in schema:
        return ", ".join(f"<code>{escape(str(value)) or '&quot;&quot;'}</code>" for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array" and "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    names = {"string": "text", "integer": "integer", "number": "number", "boolean": "true or false"}
    found = names.get(str(kind), str(kind))
    least, most = schema.get("minimum"), schema.get("maximum")
    return found if least is None or most is None else f"{found}, {least:g} to {most:g}"


def _resolved(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], schema)
    return found


def _body(methods: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    asked = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
    return _resolved(asked.get("schema", {}), document)


def _models(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the models that others refer to, by name."""
    text = json.dumps(document["components"])
    schemas = document["components"]["schemas"]
    return {name: schema for name, schema in sorted(schemas.items()) if f'/{name}"' in text}


def _anchor(name: str) -> str:
    return name.rpartition("/")[2]


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: schema["examples"][0] for name, schema in fields.items() if "examples" in schema}


def _address(path: str, document: Mapping[str, Any]) -> str:
    parameters = document["paths"][path]["get"].get("parameters", [])
    query = urlencode(_given({each["name"]: each["schema"] for each in parameters}), doseq=True)
    return f"{path}?{query}" if query else path


def _example(path: str, document: Mapping[str, Any]) -> tuple[str, str]:
    """Return an example for curl and one for Python."""
    methods = document["paths"][path]
    read = "    answer = json.load(response)"
    if "get" in methods:
        address = ADDRESS + _address(path, document)
        program = f'import json\nfrom urllib.request import urlopen\n\nwith urlopen("{address}") as response:\n{read}'
        return f"curl -s {shlex.quote(address)}", program
    body = _given(_body(methods, document)["properties"])
    text = json.dumps(body)
    curl = f"curl -s {ADDRESS}{path} -H 'Content-Type: application/json' -d {shlex.quote(text)}"
    imports = "import json\nfrom urllib.request import Request, urlopen\n\n"
    asked = (
        f'asked = Request(\n    "{ADDRESS}{path}",\n    data=json.dumps({body!r}).encode(),\n'
        '    headers={"Content-Type": "application/json"},\n)\n'
    )
    return curl, f"{imports}{asked}with urlopen(asked) as response:\n{read}"
