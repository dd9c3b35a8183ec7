import assert from "node:assert/strict";
import { endpoints } from "./endpoints.ts";
import { openApiDocument } from "./openapi.ts";

Deno.test("openApiDocument() describes every endpoint once, with named components", () => {
  const document = openApiDocument({ version: "1.2.3", serverUrl: "http://localhost:8787" });
  const operations = Object.values(document.paths ?? {}).flatMap((path) =>
    Object.values(path as Record<string, { operationId: string }>)
  );
  assert.deepEqual(
    operations.map((operation) => operation.operationId).sort(),
    Object.keys(endpoints).sort(),
  );
  const names = Object.keys(document.components?.schemas ?? {});
  for (const name of ["Project", "Deployment", "Error"]) assert.ok(names.includes(name), name);
});

Deno.test("openApiDocument() names each path parameter", () => {
  const document = openApiDocument({ version: "1.2.3", serverUrl: "http://localhost:8787" });
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    for (const operation of Object.values(item as Record<string, { parameters?: unknown[] }>)) {
      const given = (operation.parameters ?? []) as { in: string; name: string }[];
      const names = given.filter((parameter) => parameter.in === "path").map((each) => each.name);
      assert.deepEqual(names.sort(), wanted.sort(), path);
    }
  }
});
