/**
 * Runs Drizzle and Prisma migrations and queries with the URL that the CLI prints, on each engine.
 * The test uses Prisma's WebAssembly engines from npm, because Prisma's command line would download
 * programs from its own host. Runs only with `ORM_TESTS=all`, because it installs packages from
 * npm. `ORM_PACKAGES` can be set to a folder in which the packages are already installed.
 */
import assert from "node:assert/strict";
import { NpmPackages, type Variables } from "../../helpers/npm_packages.ts";
import { type DatabaseCase, onEachDatabase, urlOf } from "../../helpers/databases.ts";

const VERSIONS = [
  "drizzle-kit@0.31.11",
  "drizzle-orm@0.45.4",
  "pg@8.16.3",
  "prisma@7.10.0",
  "@prisma/client@7.10.0",
  "@prisma/adapter-pg@7.10.0",
  "@prisma/schema-engine-wasm@7.10.0-4.0edf323efd1d98336f3f0a68684b56f689b900d3",
];
const packages = new NpmPackages(VERSIONS, Deno.env.get("ORM_PACKAGES"));

const COLUMNS = `SELECT column_name, is_nullable FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name = 'boats' ORDER BY ordinal_position`;

const DRIZZLE_CONFIG = `import { defineConfig } from "drizzle-kit";
export default defineConfig({
  ...{ dialect: "postgresql", schema: "./schema.ts", out: "./migrations" },
  dbCredentials: { url: process.env.DATABASE_URL },
});`;

const drizzleSchema = (more: string): string =>
  `import { integer, pgEnum, pgTable, serial, text } from "drizzle-orm/pg-core";
export const rig = pgEnum("rig", ["sloop", "ketch"]);
export const owners = pgTable("owners", { id: serial().primaryKey(), name: text().notNull() });
export const boats = pgTable("boats", {
  id: serial().primaryKey(), name: text().notNull().unique(), rig: rig(),
  owner: integer().references(() => owners.id), ${more}
});`;

const PRISMA_FILES: Variables = {
  "prisma.config.ts": `import { defineConfig } from "prisma/config";
export default defineConfig({ schema: "schema.prisma" });`,
  "schema.prisma": `datasource db {
  provider = "postgresql"
}
generator client {
  provider            = "prisma-client"
  output              = "./generated"
  importFileExtension = "ts"
}
model Owner {
  id    Int    @id @default(autoincrement())
  name  String
  boats Boat[]
}
model Boat {
  id      Int    @id @default(autoincrement())
  name    String @unique
  feet    Int?
  ownerId Int?
  owner   Owner? @relation(fields: [ownerId], references: [id])
}`,
  // The requests that `prisma migrate diff` and `prisma migrate deploy` send to the engine.
  "migrate.mjs": `import { readFile } from "node:fs/promises";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as engine from "@prisma/schema-engine-wasm/schema_engine_bg";
const code = import.meta.resolve("@prisma/schema-engine-wasm/schema_engine_bg");
const wasm = await readFile(new URL(code.replace(/\\.js$/, ".wasm")));
const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": engine });
engine.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start?.();
const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL });
const files = [{ path: "schema.prisma", content: await readFile("schema.prisma", "utf8") }];
const filters = { externalTables: [], externalEnums: [] };
const made = await engine.SchemaEngine.new(
  { datamodels: files.map(({ path, content }) => [path, content]) }, () => {},
  bindMigrationAwareSqlAdapterFactory(adapter));
const { stdout } = await made.diff({ from: { tag: "empty" }, to: { tag: "schemaDatamodel", files },
  script: true, exitCode: null, filters, shadowDatabaseUrl: null });
const migrationsList = { baseDir: "migrations", shadowDbInitScript: "",
  lockfile: { path: "migration_lock.toml", content: 'provider = "postgresql"' },
  migrationDirectories: [{ path: "20261123000000_first",
    migrationFile: { path: "migration.sql", content: { tag: "ok", value: stdout } } }] };
const { appliedMigrationNames } = await made.applyMigrations({ migrationsList, filters });
console.log(JSON.stringify(appliedMigrationNames));
process.exit(0);`,
  "query.ts": `import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "./generated/client.ts";
const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL });
const prisma = new PrismaClient({ adapter });
const boats = { create: [{ name: "Kestrel", feet: 30 }, { name: "Heron" }] };
await prisma.owner.create({ data: { name: "Ada", boats } });
await prisma.$transaction(async (tx) => {
  await tx.boat.update({ where: { name: "Heron" }, data: { feet: 20 } });
  await tx.boat.create({ data: { name: "Lark" } });
});
await prisma.$transaction(async (tx) => {
  await tx.boat.create({ data: { name: "Lost" } });
  throw new Error("undo");
}).catch(() => {});
const refused = await prisma.boat.create({ data: { name: "Lark" } }).catch(({ code }) => code);
const found = await prisma.boat.findMany({ orderBy: { name: "asc" }, include: { owner: true } });
const sum = await prisma.boat.aggregate({ _sum: { feet: true } });
const rows = found.map(({ name, owner }) => [name, owner?.name ?? null]);
console.log(JSON.stringify([refused, rows, sum._sum.feet]));
await prisma.$disconnect();`,
};

const CASES: readonly DatabaseCase[] = [
  {
    name: "drizzle-kit creates and applies migrations, pushes a schema, and reads it back",
    async run({ platform, at, rows }) {
      await using project = await packages.open();
      const { write, run } = project;
      const env = { DATABASE_URL: await urlOf(platform, at) };
      const kit = (...args: string[]) => run(["npx", "drizzle-kit", ...args], env);
      await write({ "drizzle.config.ts": DRIZZLE_CONFIG, "schema.ts": drizzleSchema("") });
      await kit("generate", "--name", "first");
      await kit("migrate");
      await rows("INSERT INTO boats (name, rig) VALUES ('Kestrel', 'sloop')");
      await write({ "schema.ts": drizzleSchema("feet: integer().notNull().default(30),") });
      await kit("generate", "--name", "second");
      await kit("migrate");
      await kit("migrate");
      assert.deepEqual(await rows("SELECT name, rig, feet FROM boats"), [[
        "Kestrel",
        "sloop",
        "30",
      ]]);
      assert.deepEqual(await rows("SELECT count(*) FROM drizzle.__drizzle_migrations"), [["2"]]);
      await write({ "schema.ts": drizzleSchema("feet: integer(), length: integer(),") });
      await kit("push", "--force");
      assert.deepEqual((await rows(COLUMNS)).slice(-2), [["feet", "YES"], ["length", "YES"]]);
      await kit("pull");
    },
  },

  {
    name: "Prisma applies migrations, and its client queries through the driver adapter",
    async run({ platform, at, rows }) {
      await using project = await packages.open();
      const { write, run } = project;
      // The program just has to exist, because `generate` does not run it.
      const env = {
        DATABASE_URL: await urlOf(platform, at),
        PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true",
      };
      await write(PRISMA_FILES);
      await run(["npx", "prisma", "generate"], env);
      const migrate = async () => JSON.parse(await run(["node", "migrate.mjs"], env));
      assert.deepEqual(await migrate(), ["20261123000000_first"]);
      assert.deepEqual(await migrate(), []);
      const deno = [Deno.execPath(), "run", "-A", "--no-lock", "--node-modules-dir=manual"];
      assert.deepEqual(JSON.parse(await run([...deno, "query.ts"], env)), [
        "P2002",
        [["Heron", "Ada"], ["Kestrel", "Ada"], ["Lark", null]],
        50,
      ]);
      assert.deepEqual(await rows('SELECT count(*) FROM "Boat"'), [["3"]]);
    },
  },
];

if (Deno.env.get("ORM_TESTS") === "all") onEachDatabase("ORM", CASES);
