"""The description of REST for programs is valid OpenAPI 3.1, and true."""

import pytest

import zoo
from tests.helpers import require
from zoo.catalog.entries import choices, verb_options
from zoo.web.rest_options import served_verbs
from zoo.web.rest_server import RestServer

#: What every operation must have, of the schema of OpenAPI 3.1.
PARAMETER = {
    "type": "object",
    "required": ["name", "in", "schema"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "in": {"const": "query"},
        "description": {"type": "string", "minLength": 5},
        "required": {"const": False},
        "schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"},
    },
}
CONTENT = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "type": "object",
        "required": ["schema"],
        "properties": {"schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}},
    },
}
OPERATION = {
    "type": "object",
    "required": ["operationId", "summary", "parameters", "requestBody", "responses"],
    "properties": {
        "operationId": {"type": "string"},
        "summary": {"type": "string", "minLength": 10},
        "parameters": {"type": "array", "items": PARAMETER},
        "requestBody": {
            "type": "object",
            "required": ["content"],
            "properties": {"content": CONTENT, "required": {"const": True}},
        },
        "responses": {
            "type": "object",
            "required": ["200", "413", "415", "422", "500", "503"],
            "propertyNames": {"pattern": "^[1-5][0-9][0-9]$"},
            "additionalProperties": {
                "type": "object",
                "required": ["description", "content"],
                "properties": {
                    "description": {"type": "string", "minLength": 5},
                    "content": CONTENT,
                },
            },
        },
    },
}
DOCUMENT = {
    "type": "object",
    "required": ["openapi", "info", "paths"],
    "properties": {
        "openapi": {"type": "string", "pattern": r"^3\.1\.\d+$"},
        "info": {"type": "object", "required": ["title", "version"]},
        "paths": {
            "type": "object",
            "propertyNames": {"pattern": "^/"},
            "additionalProperties": {
                "type": "object",
                "properties": {"post": OPERATION},
                "additionalProperties": False,
            },
        },
    },
}


@pytest.fixture(scope="module")
def document():
    return RestServer().application().openapi()


def operation(document, verb):
    return document["paths"][f"/v1/{verb}"]["post"]


def test_it_is_openapi(document):
    validator = require("jsonschema").Draft202012Validator(DOCUMENT)
    faults = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
    assert not faults
    assert document["info"]["version"] == zoo.__version__
    assert list(document["paths"]) == [f"/v1/{verb}" for verb in served_verbs()]
    names = [operation(document, verb)["operationId"] for verb in served_verbs()]
    assert names == served_verbs()


@pytest.mark.parametrize("verb", served_verbs())
def test_options_are_described(document, verb):
    described = {each["name"]: each for each in operation(document, verb)["parameters"]}
    assert list(described) == ["model", *verb_options(verb)]
    assert described["model"]["schema"]["default"] == choices()[verb].default
    types = {"number": "number", "integer": "integer", "flag": "boolean", "names": "array"}
    for name, option in verb_options(verb).items():
        schema = described[name]["schema"]
        assert schema["type"] == types.get(option.type, "string")
        assert schema.get("minimum") == option.low and schema.get("maximum") == option.high
        if isinstance(option.default, (bool, int, float)):
            assert schema["default"] == option.default
        if option.choices:
            assert schema["enum"] == list(option.choices)
        assert option.meaning in described[name]["description"]


@pytest.mark.parametrize("verb", served_verbs())
def test_bodies_and_results_are_described(document, verb):
    found = operation(document, verb)
    body = found["requestBody"]["content"]["image/*"]["schema"]
    assert body == {"type": "string", "format": "binary"}
    good = found["responses"]["200"]
    assert len(good["description"]) > 30 and "list of images" not in good["description"]
    schema = good["content"]["application/json"]["schema"]
    returned = getattr(zoo, verb).__annotations__["return"]
    assert schema["type"] == ("array" if returned.startswith("list[") else "object")
    for status, answer in found["responses"].items():
        if status != "200":
            error = answer["content"]["application/json"]["schema"]
            assert error["required"] == ["error"]
