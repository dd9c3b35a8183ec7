/** Tests `svc dev` with a branch of the project's database, on both engines. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { NO_POSTGRES } from "../../database/server/_test_server.ts";
import type { PlatformOptions } from "../../serve/mod.ts";
import { dev, withServer } from "./_test_dev.ts";

const ENGINES: Readonly<Record<string, Partial<PlatformOptions>>> = {
  embedded: {},
  server: { postgres: "local" },
};

/** Runs one statement at a URL, as project code would. */
async function query(url: string, sql: string): Promise<readonly object[]> {
  const client = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...await client.unsafe(sql)];
  } finally {
    await client.end();
  }
}

for (const [engine, options] of Object.entries(ENGINES)) {
  Deno.test({
    name: `dev gives its server the named branch, isolated from main: ${engine}`,
    ignore: engine === "server" && NO_POSTGRES !== undefined,
    fn: () =>
      withServer(async (bench) => {
        const patient = { sleep: (milliseconds: number) => delay(milliseconds) };
        const run = (...argv: string[]) => bench.json(argv, patient);
        await run("db", "create", "--name", "shop", "--wait");
        await run("db", "query", "create table boats (name text)");
        await run("db", "branches", "create", "cart");
        const urlOf = async (branch: string) =>
          String((await run("db", "connection", "--branch", branch)).url);
        const given = async (...flags: string[]) => {
          const { answer, code, stdout, stderr } = await dev(bench, flags);
          assert.equal(code, 0, stdout + stderr);
          const { DATABASE_URL } = answer as { readonly DATABASE_URL: string };
          return DATABASE_URL;
        };
        const [main, cart] = [await given(), await given("--db-branch", "cart")];
        assert.deepEqual([main, cart], [await urlOf("main"), await urlOf("cart")]);
        await query(cart, "insert into boats values ('Kestrel')");
        assert.equal((await query(cart, "select name from boats")).length, 1);
        assert.equal((await query(main, "select name from boats")).length, 0);

        await bench.write("svc.toml", `${await bench.read("svc.toml")}\n[db]\nbranch = "cart"\n`);
        assert.equal(await given(), cart, "db.branch of svc.toml");
        assert.equal(await given("--db-branch", "main"), main, "the flag instead of svc.toml");

        await run("db", "branches", "delete", "cart", "--force");
        const gone = await dev(bench, []);
        assert.equal(gone.code, 1);
        assert.match(JSON.parse(gone.stdout).error, /cart/);
        await assert.rejects(query(cart, "select 1"));
      }, options),
  });
}
