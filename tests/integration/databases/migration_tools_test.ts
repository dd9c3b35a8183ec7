/**
 * Uses Prisma's command line and node-pg-migrate with the URL that the CLI prints, on each engine.
 * Prisma normally downloads its engines as programs from its own host, but version 6 can use a
 * WebAssembly schema engine with a driver adapter. Runs only with `ORM_TESTS=all`, because it
 * installs packages from npm. `MIGRATION_PACKAGES` can be set to a folder in which the packages are
 * already installed.
 */
import assert from "node:assert/strict";
import { NpmPackages, type Variables } from "../../helpers/npm_packages.ts";
import { type DatabaseCase, onEachDatabase, urlOf } from "../../helpers/databases.ts";

const packages = new NpmPackages([
  "prisma@6.19.3",
  "@prisma/client@6.19.3",
  "@prisma/adapter-pg@7.10.0",
  "--legacy-peer-deps",
  "node-pg-migrate@9.0.0",
  "pg@8.16.3",
], Deno.env.get("MIGRATION_PACKAGES"));

/** These programs only need to exist, because Prisma uses WebAssembly engines instead. */
const PRISMA_PROGRAMS: Variables = {
  PRISMA_SCHEMA_ENGINE_BINARY: "/bin/true",
  PRISMA_QUERY_ENGINE_LIBRARY: "/bin/true",
};

/**
 * Works around two bugs in Prisma's driver adapter that occur with every server. The adapter does
 * not support PostgreSQL's "char" type (prisma/orm#27403). The engine does not recognize the NOT
 * NULL constraints that PostgreSQL 18 lists (prisma/orm#29635).
 */
const PRISMA_CONFIG = `import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { defineConfig } from "prisma/config";
const [CHAR, BPCHAR] = [18, 1042];
const { addFields } = pg.Result.prototype;
pg.Result.prototype.addFields = function (fields) {
  for (const field of fields) if (field.dataTypeID === CHAR) field.dataTypeID = BPCHAR;
  addFields.call(this, fields);
};
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (config, ...rest) {
  if (typeof config.text === "string") {
    config.text = config.text.replace("contype NOT IN ('p', 'u', 'f')", "contype IN ('c', 'x')");
  }
  return query.call(this, config, ...rest);
};
export default defineConfig({
  ...{ schema: "schema.prisma", migrations: { path: "migrations" } },
  ...{ experimental: { adapter: true }, engine: "js" },
  adapter: () => Promise.resolve(new PrismaPg({ connectionString: process.env.DATABASE_URL })),
});`;

const prismaSchema = (more = ""): string =>
  `datasource db {
  provider = "postgresql"
  url      = env("DATABASE_URL")
}
model Owner {
  id    Int    @id @default(autoincrement())
  name  String
  boats Boat[]
}
model Boat {
  id      Int     @id @default(autoincrement())
  name    String  @unique
  ownerId Int?
  owner   Owner?  @relation(fields: [ownerId], references: [id])
  ${more}
}`;

const COLUMNS = `SELECT column_name FROM information_schema.columns
  WHERE table_schema = 'public' AND table_name = 'Boat' ORDER BY column_name`;

const CASES: readonly DatabaseCase[] = [
  {
    name: "prisma migrate deploy, migrate status, db push and db pull succeed",
    async run({ platform, at, rows }) {
      await using project = await packages.open();
      const { write, run } = project;
      const env = { ...PRISMA_PROGRAMS, DATABASE_URL: await urlOf(platform, at) };
      const prisma = (...args: string[]) => run(["npx", "prisma", ...args], env);
      const diff = (...from: string[]) =>
        prisma("migrate", "diff", ...from, "--to-schema-datamodel", "schema.prisma", "--script");
      await write({ "prisma.config.ts": PRISMA_CONFIG, "schema.prisma": prismaSchema() });
      await write({
        "migrations/migration_lock.toml": 'provider = "postgresql"\n',
        "migrations/20261123000000_first/migration.sql": await diff("--from-empty"),
      });
      assert.match(await prisma("migrate", "deploy"), /successfully applied/);
      assert.match(await prisma("migrate", "deploy"), /No pending migrations/);
      assert.match(await prisma("migrate", "status"), /up to date/);
      await rows(`INSERT INTO "Owner" (name) VALUES ('Ada')`);
      await rows(`INSERT INTO "Boat" (name, "ownerId") VALUES ('Kestrel', 1)`);

      await write({ "schema.prisma": prismaSchema("feet Int @default(30)") });
      assert.match(await prisma("db", "push"), /in sync with your Prisma schema/);
      assert.deepEqual(await rows(COLUMNS), [["feet"], ["id"], ["name"], ["ownerId"]]);
      assert.deepEqual(await rows('SELECT name, feet FROM "Boat"'), [["Kestrel", "30"]]);
      assert.match(await prisma("db", "push"), /already in sync/);
      assert.match(await prisma("db", "pull", "--print"), /owner +Owner\? +@relation/);
    },
  },

  {
    name: "node-pg-migrate migrates up and down",
    async run({ platform, at, rows }) {
      await using project = await packages.open();
      const env = { DATABASE_URL: await urlOf(platform, at) };
      const migrate = (...args: string[]) => project.run(["npx", "node-pg-migrate", ...args], env);
      await project.write({
        "migrations/1_boats.sql":
          "-- Up Migration\nCREATE TABLE boats (id int PRIMARY KEY, name text NOT NULL);\n" +
          "-- Down Migration\nDROP TABLE boats;\n",
        "migrations/2_feet.js": `export const up = (pgm) => pgm.addColumns("boats", {
  feet: { type: "integer", notNull: true, default: 30 },
});
export const down = (pgm) => pgm.dropColumns("boats", ["feet"]);`,
      });
      await migrate("up");
      await rows("INSERT INTO boats (id, name) VALUES (1, 'Kestrel')");
      assert.match(await migrate("up"), /No migrations to run/);
      assert.deepEqual(await rows("TABLE boats"), [["1", "Kestrel", "30"]]);
      await migrate("down");
      assert.deepEqual(await rows("TABLE boats"), [["1", "Kestrel"]]);
      assert.deepEqual(await rows("SELECT name FROM pgmigrations"), [["1_boats"]]);
    },
  },
];

if (Deno.env.get("ORM_TESTS") === "all") onEachDatabase("migration tools", CASES);
