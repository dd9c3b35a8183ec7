import assert from "node:assert/strict";
import { join } from "node:path";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import * as z from "zod";
import { projectConfigSchemaText } from "./edit_project_config.ts";
import { parseProjectConfig } from "./project_config.ts";
import { projectConfigJsonSchema, TABLE_KEYS } from "./schema.ts";

const DOCS = join(import.meta.dirname!, "../../docs");
const SCHEMA_FILE = join(DOCS, "schema/svc.schema.json");

Deno.test("docs/schema/svc.schema.json is current", async () => {
  if (Deno.env.get("UPDATE_GOLDENS") === "1") {
    await Deno.writeTextFile(SCHEMA_FILE, projectConfigSchemaText());
  }
  assert.equal(await Deno.readTextFile(SCHEMA_FILE), projectConfigSchemaText());
});

Deno.test("projectConfigJsonSchema() closes every table", () => {
  const schema = projectConfigJsonSchema();
  assert.equal(schema.additionalProperties, false);
  type Table = { readonly additionalProperties: unknown };
  const { cron, queues, forms, ...tables } = schema.properties as Record<
    string,
    Table & { items: Table }
  >;
  assert.deepEqual(Object.keys(schema.properties as Table), TABLE_KEYS[""]);
  const form = forms!.additionalProperties as Table;
  for (const table of [cron!.items, queues!.items, form, ...Object.values(tables)]) {
    assert.equal(table.additionalProperties, false);
  }
});

Deno.test("the schema has the specification's keys, and those for servers and images", () => {
  assert.deepEqual(TABLE_KEYS, {
    "": [
      "project",
      "dev",
      "build",
      "server",
      "cron",
      "queues",
      "forms",
      "functions",
      "db",
      "env",
      "images",
      "blobs",
      "static",
      "skew",
      "traffic",
      "previews",
      "checks",
    ],
    project: ["id", "name", "workspace"],
    dev: ["command", "port", "host", "data_dir", "aliases"],
    build: [
      "command",
      "ignore",
      "output_dirs",
      "static",
      "runtime",
      "health",
      "tmp_mb",
      "not_imported",
    ],
    server: ["command", "start_timeout", "memory_mb", "health_path"],
    cron: ["path", "schedule", "timezone", "retries"],
    queues: ["name", "path", "concurrency", "retries", "timeout"],
    functions: ["cpu_ms"],
    db: ["database", "branch", "preview", "reset", "mask", "migrate"],
    env: ["declarations"],
    blobs: ["public", "preview"],
    images: ["enabled", "sizes", "qualities", "formats", "hosts", "svg", "min_ttl"],
    static: ["spa", "trailing_slash", "clean_urls", "ignore_case", "keep_assets"],
    skew: ["max_age"],
    traffic: ["vitals"],
    previews: ["protection"],
    checks: ["timeout", "retries", "commands", "requests"],
  });
});

/** Validates text against the JSON Schema, as an editor does. */
function editorAccepts(source: string): boolean {
  const schema = z.fromJSONSchema(projectConfigJsonSchema() as z.core.JSONSchema.JSONSchema);
  return schema.safeParse(getStaticTOMLValue(parseTOML(source))).success;
}

const SAME_JUDGMENT = [
  { source: "[functions]\ncpu_ms = 2000\n", isValid: true },
  { source: "[functions]\ncpu_ms = 49\n", isValid: false },
  { source: "[functions]\ncpu_ms = 10001\n", isValid: false },
  { source: '[server]\nhealth_path = "/healthz"\n', isValid: true },
  { source: '[server]\nhealth_path = "healthz"\n', isValid: false },
  { source: '[server]\ncommand = "  "\n', isValid: false },
  { source: "[dev]\nport = 3000\n", isValid: true },
  { source: "[dev]\nport = 0\n", isValid: false },
  { source: "[dev]\nprot = 1\n", isValid: false },
  { source: '[project]\nname = "My Site"\n', isValid: false },
  { source: '[build]\noutput_dirs = "dist"\n', isValid: false },
  { source: '[env.declarations]\nA = "plain"\nB = { visibility = "plain" }\n', isValid: true },
  { source: '[env.declarations]\nA = "public"\n', isValid: false },
  { source: '[env.declarations]\n2A = "plain"\n', isValid: false },
  { source: "[env.declarations]\nA = { required = false }\n", isValid: false },
];

for (const { source, isValid } of SAME_JUDGMENT) {
  Deno.test(`the JSON Schema and the parser agree on ${JSON.stringify(source)}`, () => {
    assert.equal(editorAccepts(source), isValid);
    assert.equal(parseProjectConfig(source).config !== undefined, isValid);
  });
}

Deno.test("docs/svc-toml.md lists every table with its keys", async () => {
  const text = await Deno.readTextFile(join(DOCS, "svc-toml.md"));
  const sections = new Map(
    text.split(/^## /m).map((section) => [/^`\[+(\w+)/.exec(section)?.[1], section]),
  );
  type Table = {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly items?: Table;
    readonly additionalProperties?: Table | false;
  };
  const { properties } = projectConfigJsonSchema() as { properties: Record<string, Table> };
  for (const [name, table] of Object.entries(properties)) {
    const fields = table.properties ?? table.items?.properties ??
      (table.additionalProperties || undefined)?.properties ?? {};
    // The heading of the section names the only key of `env`.
    const keys = Object.keys(fields).filter((key) => key !== "declarations");
    const missing = keys.filter((key) => !sections.get(name)?.includes(`| \`${key}\``));
    assert.ok(sections.has(name), name);
    assert.deepEqual(missing, [], name);
  }
});

Deno.test("every example in docs/svc-toml.md is valid", async () => {
  const text = await Deno.readTextFile(join(DOCS, "svc-toml.md"));
  const examples = [...text.matchAll(/```toml\n([^]*?)```/g)].map((match) => match[1]!);
  assert.ok(examples.length >= TABLE_KEYS[""]!.length);
  for (const example of examples) {
    assert.deepEqual(parseProjectConfig(example).diagnostics, [], example);
    assert.equal(editorAccepts(example), true, example);
  }
});
