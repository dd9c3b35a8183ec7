import assert from "node:assert/strict";
import { openServerEngine } from "../../database/mod.ts";
import { EngineHealth } from "./engine_health.ts";
import { Engines } from "./engines.ts";

Deno.test("EngineHealth reports within 2 seconds that a server does not respond, and queries it only once", async () => {
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const taken: Deno.Conn[] = [];
  const taking = (async () => {
    for await (const connection of silent) taken.push(connection);
  })();
  const { port } = silent.addr as Deno.NetAddr;
  const dataFolder = await Deno.makeTempDir();
  const server = () =>
    openServerEngine({
      postgres: `postgres://svc@127.0.0.1:${port}/svc`,
      dataFolder,
      memoryBytes: 1024 ** 3,
      onTrouble: () => {},
    });
  const engines = new Engines({ usual: "server", open: { server } });
  const health = new EngineHealth(engines);
  const usual = { engine: "server", port: 8788 };
  assert.deepEqual(await health.describe(8788), { ...usual, ready: true, problem: null });

  await engines.open("server");
  const began = performance.now();
  const problem = "PostgreSQL has not responded for 1.5 s";
  for (const each of await Promise.all([health.describe(8788), health.describe(8788)])) {
    assert.deepEqual(each, { ...usual, ready: false, problem });
  }
  assert.ok(performance.now() - began < 5000);
  assert.equal(taken.length, 1);

  for (const connection of taken) connection.close();
  silent.close();
  await taking.catch(() => {});
  await engines.close();
  await Deno.remove(dataFolder, { recursive: true });
});
