import assert from "node:assert/strict";
import { join } from "node:path";
import {
  type DatabaseEngine,
  databaseProcessCommand,
  EmbeddedEngine,
  LOCAL,
  openServerEngine,
  runScript,
} from "../../database/mod.ts";
import { NO_POSTGRES } from "../core/store/_test_pg.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { diffSchemas, readSchema } from "./schema_diff.ts";

const BEFORE = `
CREATE TYPE mood AS ENUM ('calm', 'stormy');
CREATE TABLE boats (id int PRIMARY KEY, name text NOT NULL, mood mood);
CREATE TABLE gone (id int);
CREATE TABLE trips (day int) PARTITION BY RANGE (day);
CREATE TABLE trips_old PARTITION OF trips FOR VALUES FROM (0) TO (9);
CREATE INDEX boats_name ON boats (name);
CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql AS 'SELECT n * 2';
CREATE VIEW calm AS SELECT name FROM boats WHERE mood = 'calm';
INSERT INTO boats VALUES (1, 'Kestrel', 'calm');`;

const CHANGES = `
ALTER TYPE mood ADD VALUE 'foggy';
ALTER TABLE boats ADD COLUMN length numeric(5, 2) DEFAULT 1.5, ALTER COLUMN name DROP NOT NULL,
  ADD CONSTRAINT is_long CHECK (length > 0);
DROP TABLE gone;
ALTER TABLE trips DETACH PARTITION trips_old;
ALTER TABLE trips ATTACH PARTITION trips_old FOR VALUES FROM (0) TO (99);
CREATE TABLE "a.b" ("c.d""" int, "e.f" int DEFAULT 1);
CREATE TABLE ports (id int PRIMARY KEY, town text UNIQUE);
DROP INDEX boats_name;
CREATE INDEX boats_length ON boats (length) WHERE length > 10;
CREATE OR REPLACE FUNCTION twice(n int) RETURNS int LANGUAGE sql AS 'SELECT n + n';
INSERT INTO boats VALUES (2, 'Heron', 'calm', 3);`;

const WANTED = [
  "changed type public.mood",
  'added table public."a.b"',
  "removed table public.gone",
  "added table public.ports",
  "changed table public.trips_old",
  "added column public.boats.length",
  "changed column public.boats.name",
  "added constraint public.boats.is_long",
  "added index public.boats_length",
  "removed index public.boats_name",
  "changed function public.twice(n integer)",
];

const ENGINES: Readonly<Record<string, (folder: string) => Promise<DatabaseEngine>>> = {
  embedded: (folder) =>
    Promise.resolve(
      new EmbeddedEngine({
        folder: join(folder, "databases"),
        command: databaseProcessCommand({ env: Deno.env.toObject() }),
      }),
    ),
  async server(dataFolder) {
    // PostgreSQL runs as another user, which must be able to enter the folder.
    await Deno.chmod(dataFolder, 0o755);
    const memoryBytes = 2 * 1024 ** 3;
    return await openServerEngine({ postgres: LOCAL, dataFolder, memoryBytes, onTrouble() {} });
  },
};

for (const [name, open] of Object.entries(ENGINES)) {
  Deno.test({
    name: `diffSchemas() reports changes to a branch's schema, but not to its rows (${name})`,
    ignore: name === "server" && NO_POSTGRES !== undefined,
    fn: () =>
      inTestFolder(async (folder) => {
        const engine = await open(folder);
        const branchOf = (id: string) => ({
          id,
          database: "shop",
          role: `r_${id}`,
          limits: { memoryMb: 256, connections: 5 },
        });
        const [main, copy] = [branchOf("00000000000000aa"), branchOf("00000000000000bb")];
        const connect = (branch: typeof main) => engine.connect(branch, new Map());
        const run = async (branch: typeof main, sql: string) => {
          const script = new Blob([sql]).stream();
          for await (const event of runScript(await connect(branch), script)) {
            if (event.type === "error") throw new Error(event.message);
          }
        };
        const read = async (branch: typeof main) =>
          await readSchema(await connect(branch), new AbortController().signal);
        try {
          await engine.create(main);
          await run(main, BEFORE);
          await engine.copy(main, copy);
          assert.deepEqual(diffSchemas(await read(main), await read(copy)), []);
          for (const sql of CHANGES.split(";\n").filter(Boolean)) await run(copy, sql);
          const changes = diffSchemas(await read(main), await read(copy));
          assert.deepEqual(
            changes.map(({ change, kind, name }) => `${change} ${kind} ${name}`),
            WANTED,
          );
          const length = changes.find(({ name }) => name === "public.boats.length");
          assert.equal(length?.to, "numeric(5,2) DEFAULT 1.5");
        } finally {
          await engine.close();
        }
      }),
  });
}
