/**
 * Runs `svc db move` while clients keep writing. Tests which errors clients get, and that nothing
 * is lost.
 */
import assert from "node:assert/strict";
import pg from "pg";
import { until } from "../../../src/lib/_test_until.ts";
import { runTool } from "../../helpers/tool.ts";
import { type DatabaseCase, urlOf } from "../../helpers/databases.ts";

const WRITERS = 4;
/** Number of writes per client after a move, which show that the client works again. */
const MORE_WRITES = 5;

/**
 * The message from `pg` if a connection is closed during a query. Such an error has no SQLSTATE.
 */
const CUT_OFF = "Connection terminated unexpectedly";

/**
 * SQLSTATEs of errors that clients get when the platform closes or refuses a connection during the
 * move.
 */
const TOLD = new Set(["57P01", "57P03", CUT_OFF]);

/** Clients in one pool that write numbers until they are stopped, and record errors. */
class Writers {
  readonly acknowledged = new Set<number>();
  readonly told: string[] = [];
  #next = 0;
  #isOver = false;
  readonly #running: Promise<void>[];

  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    pool.on("error", (error) => this.#note(error));
    this.#running = Array.from({ length: WRITERS }, () => this.#write());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #write(): Promise<void> {
    while (!this.#isOver) {
      const number = this.#next++;
      try {
        await this.#pool.query("INSERT INTO written VALUES ($1)", [number]);
        this.acknowledged.add(number);
      } catch (error) {
        this.#note(error as Error);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  #note(error: Error & { readonly code?: string }): void {
    this.told.push(error.code ?? error.message);
  }
}

export const MOVES: readonly DatabaseCase[] = [{
  name: "a connection pool survives moves to both engines with known errors and no losses",
  only: "server",
  async run({ platform, at, rows }) {
    await rows("CREATE TABLE written (n int PRIMARY KEY)");
    const pool = new pg.Pool({ connectionString: await urlOf(platform, at), max: WRITERS });
    const writers = new Writers(pool);
    try {
      for (const engine of ["embedded", "server"]) {
        const written = (more: number) => {
          const before = writers.acknowledged.size;
          return until(() => writers.acknowledged.size >= before + more, Boolean, 60_000);
        };
        await written(MORE_WRITES);
        const [database, project] = at.split("/").toReversed().filter((_, index) =>
          index % 2 === 0
        );
        const { database: moved } = await runTool(
          ["db", "move", database!, "--project-id", project!, "--to", engine, "--force"],
          { port: platform.port, home: platform.dataDir },
        );
        assert.deepEqual([moved.state, moved.reason, moved.engine], ["active", null, engine]);
        await written(WRITERS * MORE_WRITES);
      }
    } finally {
      await writers.stop();
      await pool.end();
    }
    assert.deepEqual(writers.told.filter((told) => !TOLD.has(told)), []);
    assert.ok(writers.told.includes("57P03"), "At least one client is refused during a move");
    const kept = new Set((await rows("SELECT n FROM written")).map(([n]) => Number(n)));
    assert.deepEqual([...writers.acknowledged].filter((n) => !kept.has(n)), []);
  },
}];
