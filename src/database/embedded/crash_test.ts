import assert from "node:assert/strict";
import { TestGateway } from "../_test_gateway.ts";
import { databaseProcessCommand } from "./process_command.ts";
import { EmbeddedEngine } from "./embedded_engine.ts";

/** How many times the process is killed. The long version of the test uses 50. */
const ROUNDS = Number(Deno.env.get("SVC_CRASH_ROUNDS") ?? 3);

/** Number of commits in each round before the process is killed. */
const COMMITS = 20;

Deno.test("EmbeddedEngine keeps every acknowledged commit when its process is killed", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-crash-" });
  const command = databaseProcessCommand({ env: Deno.env.toObject() });
  const engine = new EmbeddedEngine({ folder, command });
  const gateway = new TestGateway(engine);
  const branch = await gateway.create();
  const acknowledged = new Set<number>();
  let next = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const writers = await Promise.all([1, 2].map(() => gateway.connect(branch)));
    await writers[0]!.query("CREATE TABLE IF NOT EXISTS t (n int PRIMARY KEY)");
    const enough = Promise.withResolvers<void>();
    const target = acknowledged.size + COMMITS;
    const writing = writers.map(async (writer) => {
      for (;;) {
        const n = next++;
        try {
          await writer.query("INSERT INTO t VALUES ($1)", [n]);
        } catch {
          return;
        }
        acknowledged.add(n);
        if (acknowledged.size >= target) enough.resolve();
      }
    });
    await enough.promise;
    for (const pid of engine.pids) Deno.kill(pid, "SIGKILL");
    await Promise.all(writing);
    const reader = await gateway.connect(branch);
    const { rows } = await reader.query<{ n: number }>("SELECT n FROM t");
    const kept = new Set(rows.map(({ n }) => n));
    assert.deepEqual([...acknowledged].filter((n) => !kept.has(n)), [], `round ${round + 1}`);
    await Promise.all([...writers, reader].map((client) => client.end()));
  }
  assert.ok(acknowledged.size >= ROUNDS * COMMITS);
  await gateway.close();
  await Deno.remove(folder, { recursive: true });
});
