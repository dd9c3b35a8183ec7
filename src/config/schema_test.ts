import assert from "node:assert/strict";
import { join } from "node:path";
import { projectConfigSchemaText } from "./edit_project_config.ts";
import { projectConfigJsonSchema, TABLE_KEYS } from "./schema.ts";

const SCHEMA_FILE = join(import.meta.dirname!, "../../docs/schema/svc.schema.json");

Deno.test("docs/schema/svc.schema.json is current", async () => {
  if (Deno.env.get("UPDATE_GOLDENS") === "1") {
    await Deno.writeTextFile(SCHEMA_FILE, projectConfigSchemaText());
  }
  assert.equal(await Deno.readTextFile(SCHEMA_FILE), projectConfigSchemaText());
});

Deno.test("projectConfigJsonSchema() closes every table", () => {
  const schema = projectConfigJsonSchema();
  assert.equal(schema.additionalProperties, false);
  const tables = schema.properties as Record<string, { additionalProperties: unknown }>;
  assert.deepEqual(Object.keys(tables), TABLE_KEYS[""]);
  for (const table of Object.values(tables)) assert.equal(table.additionalProperties, false);
});

Deno.test("the schema has exactly the keys of the specification", () => {
  assert.deepEqual(TABLE_KEYS, {
    "": ["project", "dev", "build", "db", "env"],
    project: ["id", "name", "workspace"],
    dev: ["command", "port", "host", "data_dir", "aliases"],
    build: ["command", "output_dirs"],
    db: ["database", "branch"],
    env: ["declarations"],
  });
});
