import assert from "node:assert/strict";
import process from "node:process";
import pg from "pg";
import { until } from "../../lib/_test_until.ts";
import { NO_POSTGRES } from "../server/_test_server.ts";
import { startTestGateway } from "./_test_gateway.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (skipped: ${NO_POSTGRES})` : "";

/** Number of rounds of `kill -9` under load. */
const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 2);
const WRITERS = 4;

async function serverProcess(dataFolder: string): Promise<number> {
  return Number.parseInt(await Deno.readTextFile(`${dataFolder}/postgres/data/postmaster.pid`));
}

Deno.test({
  name: `a local server keeps every acknowledged commit through kill -9 under load${skipped}`,
  ignore,
  fn: async () => {
    await using test = await startTestGateway();
    const url = test.url(await test.add("shop"));
    const made = await connect(url);
    await made.query("CREATE TABLE log (writer int, n int, PRIMARY KEY (writer, n))");
    await made.end();
    for (let round = 0; round < ROUNDS; round++) {
      const writers = await Promise.all(
        Array.from({ length: WRITERS }, (_, writer) => startWriter(url, round * WRITERS + writer)),
      );
      await until(() => writers.every(({ acknowledged }) => acknowledged() >= 20));
      process.kill(await serverProcess(test.server.dataFolder), "SIGKILL");
      const counts = await Promise.all(writers.map(({ ended }) => ended));
      const client = await until(
        () => connect(url).catch(() => undefined),
        (found) => found !== undefined,
      );
      for (const [writer, count] of counts.entries()) {
        const { rows } = await client!.query(
          "SELECT count(*)::int AS n FROM log WHERE writer = $1 AND n < $2",
          [round * WRITERS + writer, count],
        );
        assert.equal(rows[0].n, count, `round ${round}, writer ${writer}`);
      }
      await client!.end();
    }
    assert.match(test.server.troubles.join(), /PostgreSQL stopped unexpectedly/);
  },
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

interface Writer {
  readonly acknowledged: () => number;
  /** Resolves with the number of acknowledged commits when the connection is lost. */
  readonly ended: Promise<number>;
}

async function startWriter(url: string, writer: number): Promise<Writer> {
  const client = await connect(url);
  let acknowledged = 0;
  const write = async () => {
    try {
      for (;;) {
        await client.query("INSERT INTO log VALUES ($1, $2)", [writer, acknowledged]);
        acknowledged++;
      }
    } catch {
      await client.end().catch(() => {});
      return acknowledged;
    }
  };
  return { acknowledged: () => acknowledged, ended: write() };
}
