import assert from "node:assert/strict";
import * as z from "zod";
import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** Bodies whose limit applies to several fields together, which JSON Schema cannot express. */
const CHECKED_AS_A_WHOLE = new Set([
  "buildSources",
  "createDeployment",
  "checkDeployment",
  "putRules",
  "queryDatabase",
  "triggerEvent",
  "triggerHook",
]);

/** Maximum number of UTF-8 bytes per UTF-16 code unit. */
const BYTES_PER_UNIT = 3;

/**
 * Returns the size in bytes of the largest JSON text without escaped characters that a schema
 * allows.
 */
function largest(schema: Schema, where: string): number {
  if (schema.const !== undefined) return JSON.stringify(schema.const).length;
  if (schema.enum !== undefined) {
    return Math.max(...schema.enum.map((value) => JSON.stringify(value).length));
  }
  const variants = Array.isArray(schema.type)
    ? schema.type.map((type) => ({ type }))
    : schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) {
    return Math.max(...variants.map((each) => largest(each as Schema, where)));
  }
  switch (schema.type) {
    case "boolean":
    case "null":
      return 5;
    case "integer":
    case "number":
      return 25;
    case "array":
      assert.ok(schema.maxItems !== undefined, `${where}: the list has no bound`);
      return 2 + schema.maxItems * (1 + largest(schema.items as Schema, `${where}[]`));
    case "object": {
      const members = Object.entries(schema.properties ?? {});
      return members.reduce(
        (sum, [name, member]) =>
          sum + name.length + 4 + largest(member as Schema, `${where}.${name}`),
        2,
      );
    }
    case "string": {
      // A pattern without repetition matches no text that is longer than the pattern.
      const pattern = /[*+]/.test(schema.pattern ?? "*") ? undefined : schema.pattern;
      const most = schema.format === "uuid" ? 36 : schema.maxLength ?? pattern?.length;
      assert.ok(most !== undefined, `${where}: the text has no bound`);
      return 2 + BYTES_PER_UNIT * most;
    }
  }
  assert.fail(`${where}: no bound is known for ${JSON.stringify(schema)}`);
}

const jsonEndpoints = (Object.entries(endpoints) as unknown as [string, Endpoint][])
  .filter(([, { body, bodyKind }]) =>
    (bodyKind === "json" || bodyKind === "form") && body.type !== "undefined"
  );

for (const [name, endpoint] of jsonEndpoints) {
  if (CHECKED_AS_A_WHOLE.has(name)) continue;
  Deno.test(`the limit of ${name} allows the largest body of its schema`, () => {
    const schema = z.toJSONSchema(endpoint.body, { io: "input", unrepresentable: "any" });
    const bytes = largest(schema as Schema, name);
    assert.ok(bytes <= endpoint.maxBodyBytes, `${bytes} bytes over ${endpoint.maxBodyBytes}`);
  });
}

Deno.test("public endpoints have the small limit, except a hook's trigger", () => {
  const larger = jsonEndpoints.filter(([, { auth, maxBodyBytes }]) =>
    auth === "none" && maxBodyBytes > 16 * 1024
  );
  assert.deepEqual(larger.map(([name]) => name), ["triggerHook"]);
});
