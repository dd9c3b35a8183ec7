/**
 * Drizzle's migrations through the URL that the tool prints, on each engine.
 * Long: it installs drizzle-kit from npm; `ORM_TESTS=all` runs it. `ORM_PACKAGES` may name a
 * folder in which it is installed already.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { runProgram } from "../../../src/lib/spawn_program.ts";
import { type DatabaseCase, onEachDatabase, urlOf } from "../../helpers/databases.ts";

const VERSIONS = ["drizzle-kit@0.31.11", "drizzle-orm@0.45.4", "pg@8.16.3"];

type Variables = Readonly<Record<string, string>>;

async function runIn(cwd: string, command: readonly string[], env: Variables = {}) {
  const [program, ...args] = command;
  const { code, stdout, stderr } = await runProgram(program!, {
    ...{ args, cwd, env: { ...Deno.env.toObject(), CI: "1", ...env }, stdin: "null" },
  });
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${command.join(" ")}\n${out}\n${err}`);
  return out!;
}

/** The packages, which are installed once. */
const packages = new class {
  #folder: Promise<string> | undefined;

  folder(): Promise<string> {
    return this.#folder ??= this.#install();
  }

  async #install(): Promise<string> {
    const given = Deno.env.get("ORM_PACKAGES");
    if (given !== undefined) return given;
    const folder = await Deno.makeTempDir({ prefix: "svc-orm-packages-" });
    globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
    await Deno.writeTextFile(join(folder, "package.json"), '{ "private": true }');
    await runIn(folder, ["npm", "install", "--no-audit", "--no-fund", ...VERSIONS]);
    return folder;
  }
}();

/** A folder in which programs of npm run. */
async function openFolder() {
  const folder = await Deno.makeTempDir({ prefix: "svc-orm-" });
  const write = async (files: Variables) => {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(join(folder, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(folder, path), text);
    }
  };
  await write({ "package.json": '{ "private": true, "type": "module" }' });
  await Deno.symlink(join(await packages.folder(), "node_modules"), join(folder, "node_modules"));
  return {
    write,
    /** Runs a command; returns what it prints. */
    run: (command: readonly string[], env: Variables) => runIn(folder, command, env),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

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

const CASES: readonly DatabaseCase[] = [
  {
    name: "drizzle-kit makes and applies migrations, pushes, and reads the schema back",
    async run({ platform, at, rows }) {
      await using project = await openFolder();
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
];

if (Deno.env.get("ORM_TESTS") === "all") onEachDatabase("ORM", CASES);
