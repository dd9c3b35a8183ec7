/** Tests that only one node at a time runs housekeeping for databases. */
import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import { TestMachine } from "../databases/_test_databases.ts";
import { TestEngine } from "../databases/_test_engine.ts";
import { keys } from "../core/store/mod.ts";
import type { Holder } from "./_test_lease_thief.ts";
import { Lease, type RecordKey } from "../../store/mod.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const STRAY = "00000000deadbeef";

/** An engine that records what a node removes. */
class NotingEngine extends TestEngine {
  readonly #done: string[];

  constructor(held: Map<string, string>, done: string[]) {
    super("embedded", held);
    this.#done = done;
  }

  override remove(id: string): Promise<void> {
    this.#done.push(`remove ${id === STRAY ? "the stray" : "a branch"}`);
    return super.remove(id);
  }
}

export const databases: Holder = {
  role: "housekeeping",
  async prepare(kv) {
    const machine = await TestMachine.make(kv);
    await machine.project("shop");
    const engine = new TestEngine();
    const before = await machine.start(engine);
    for (const name of ["orders", "old"]) {
      await before.call("createDatabase", { project: "shop", body: { name } });
      await until(
        () => before.call("getDatabase", { project: "shop", database: name }),
        ({ state }) => state === "active",
      );
    }
    await before.call("deleteDatabase", { project: "shop", database: "old" });
    engine.held.set(STRAY, "left behind");
    const signal = new AbortController().signal;
    await before.databases.capability.cleanUp!(signal, Lease.ofSoleNode("housekeeping"));
    machine.now += 8 * DAY_MS;
    machine.alive.add("process-1").add("process-2");
    const done: string[] = [];
    const recordsBelow = (prefix: RecordKey) => Array.fromAsync(kv.list({ prefix }));
    return {
      done,
      // A process removes its own incomplete snapshot.
      isOwn: ([first]) => ["database_snapshots", "database_remains"].includes(String(first)),
      async open({ kv, nodes }) {
        const own = machine.open(kv, new NotingEngine(engine.held, done));
        // Unused engines are not opened.
        await own.call("getDatabase", { project: "shop", database: "orders" });
        return () =>
          nodes.during(
            "housekeeping",
            (lease) => own.databases.capability.cleanUp!(signal, lease),
          );
      },
      async outcome() {
        assert.deepEqual(machine.troubles.filter((each) => /lead/.test(each)), []);
        const snapshots = await recordsBelow(keys.allDatabaseSnapshots());
        return {
          held: engine.held.size,
          hasStray: engine.held.has(STRAY),
          snapshots: snapshots.map(({ value }) => (value as { ready: boolean }).ready),
          branches: (await recordsBelow(keys.allDatabaseBranches())).length,
          remains: (await recordsBelow(keys.databaseRemains())).length,
          strays: (await recordsBelow(keys.databaseStrays())).length,
        };
      },
      // The thief closes the store itself.
      async [Symbol.asyncDispose]() {
        await machine.stop();
      },
    };
  },
};
