import assert from "node:assert/strict";
import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { openApiDocument } from "./openapi.ts";
import { type OperationNode, operationsOf } from "./openapi/operations_of.ts";
import type { SchemaNode } from "./openapi/schema_node.ts";
import { TAGS } from "./openapi/tags.ts";

const document = openApiDocument({ version: "1.2.3", serverUrl: "http://localhost:8787" });
const operations = operationsOf(document);
const operationNamed = (name: string): OperationNode =>
  operations.find(({ operation }) => operation.operationId === name)!.operation;
const all: [string, Endpoint][] = Object.entries(endpoints).map((
  [name, endpoint],
) => [name, endpoint as unknown as Endpoint]);
const parameterNames = (operation: OperationNode, where: string) =>
  (operation.parameters ?? []).filter((each) => each.in === where).map(({ name }) => name);

Deno.test("openApiDocument() describes every endpoint once, with named components", () => {
  assert.deepEqual(
    operations.map(({ operation }) => operation.operationId).sort(),
    Object.keys(endpoints).sort(),
  );
  const names = Object.keys(document.components?.schemas ?? {});
  for (const name of ["Project", "Deployment", "Error"]) assert.ok(names.includes(name), name);
});

Deno.test("openApiDocument() names each path parameter", () => {
  for (const { path, operation } of operations) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    assert.deepEqual(parameterNames(operation, "path").sort(), wanted.sort(), path);
  }
});

/** Yields the path and the schema of every property below a node of the document. */
function* properties(node: unknown, place: string): Generator<[string, SchemaNode]> {
  if (typeof node !== "object" || node === null) return;
  for (const [name, property] of Object.entries((node as SchemaNode).properties ?? {})) {
    yield [`${place}.${name}`, property];
  }
  for (const [name, child] of Object.entries(node)) {
    if (name !== "example" && name !== "examples") yield* properties(child, `${place}/${name}`);
  }
}

Deno.test("every operation, parameter and property has a description and an example", () => {
  let seen = 0;
  const undescribed: string[] = [];
  const { schemas, responses } = document.components!;
  for (const [place, property] of properties({ schemas, responses, paths: document.paths }, "#")) {
    seen++;
    if (!property.description) undescribed.push(place);
    assert.equal(property.examples?.length, 1, `${place} has no example`);
    assert.equal(property.example, undefined, `${place} has an example twice`);
  }
  assert.deepEqual(undescribed, []);
  assert.ok(seen > 500, String(seen));
  for (const { operation } of operations) {
    const { operationId: name, parameters = [], requestBody, responses } = operation;
    assert.ok(operation.summary.length > 0 && operation.description.length > 0, name);
    assert.ok(operation.tags.every((tag) => TAGS[tag] !== undefined), `${name} has an unknown tag`);
    for (const each of parameters) {
      assert.ok(each.description, `${name}: ${each.in} ${each.name} has no description`);
      assert.notEqual(each.example, undefined, `${name}: ${each.in} ${each.name} has no example`);
    }
    const contents = [requestBody, ...Object.values(responses)].map((each) => each?.content ?? {});
    for (const [type, media] of contents.flatMap((content) => Object.entries(content))) {
      assert.notEqual(media.example, undefined, `${name}: ${type} has no example`);
    }
  }
});

/** Yields every pattern below a node of the document. */
function* patterns(node: unknown): Generator<string> {
  if (typeof node !== "object" || node === null) return;
  for (const [name, child] of Object.entries(node)) {
    if (name === "pattern" && typeof child === "string") yield child;
    else if (name !== "example" && name !== "examples") yield* patterns(child);
  }
}

Deno.test("patterns use only features that validators in other languages support", () => {
  const found = [...new Set(patterns(document))];
  assert.ok(found.length > 10, String(found.length));
  // No pattern uses Unicode properties, lookbehinds, named groups or inline flags.
  assert.deepEqual(found.filter((pattern) => /\\[pP]\{|\(\?[<a-z]/.test(pattern)), []);
});

Deno.test("every refusal is listed by status, with its schema", () => {
  const statuses = (name: string) => Object.keys(operationNamed(name).responses).sort();
  const shape = (name: string, status: string) =>
    operationNamed(name).responses[status]!.$ref?.split("/").at(-1);
  assert.deepEqual(statuses("startDevice"), ["200", "400", "429", "500", "503"]);
  assert.deepEqual(
    ["400", "429", "500"].map((status) => shape("startDevice", status)),
    ["OAuth400", "OAuth429", "E500"],
  );
  assert.deepEqual(
    statuses("triggerHook"),
    ["200", "400", "401", "403", "404", "409", "413", "415", "429", "500", "503", "507"],
  );
  assert.ok(statuses("signUp").includes("202"));
  assert.ok(statuses("putRules").includes("412"));
  for (const [name, endpoint] of all) {
    assert.equal(
      statuses(name).includes("401"),
      endpoint.auth === "bearer" ||
        endpoint.refusals.includes(401),
      name,
    );
  }
});

Deno.test("bodies are required unless an empty one is accepted", () => {
  const required = (name: string) => operationNamed(name).requestBody?.required;
  assert.deepEqual(
    ["createProject", "putRules", "putBlob", "rollback", "startDevice", "signOut"].map(required),
    [true, true, true, false, false, undefined],
  );
});

Deno.test("header fields of requests and responses are described where they apply", () => {
  const asks = (field: string) =>
    operations.filter(({ operation }) => parameterNames(operation, "header").includes(field))
      .map(({ operation }) => operation.operationId).sort();
  assert.deepEqual(asks("If-Match"), ["deleteRules", "putRules", "restoreRules"]);
  assert.deepEqual(asks("Last-Event-ID"), ["streamNotifications"]);
  const keyed = all.filter(([name, { idempotency }]) =>
    idempotency === "kept" || name === "triggerHook"
  );
  assert.deepEqual(asks("Idempotency-Key"), keyed.map(([name]) => name).sort());
  const inWorkspace = all.filter(([, { access }]) =>
    ["viewer", "developer", "owner"].includes(access)
  );
  assert.deepEqual(asks("X-Workspace"), inWorkspace.map(([name]) => name).sort());
  const fields = (name: string, status: string) =>
    Object.keys(
      (operationNamed(name).responses[status] as { headers?: object } | undefined)?.headers ?? {},
    );
  assert.ok(fields("getRules", "200").includes("ETag"));
  assert.ok(fields("createProject", "201").includes("RateLimit"));
  const tooMany = document.components?.responses?.E429 as { headers?: object } | undefined;
  assert.ok(Object.keys(tooMany?.headers ?? {}).includes("Retry-After"));
});
