import assert from "node:assert/strict";
import { keys } from "../store/mod.ts";
import { Leases, PULSE_MS } from "./leases.ts";
import { ROLES } from "./node_record.ts";
import { DenoStore, LeaseLostError, type RecordStore } from "../../../store/mod.ts";

interface LeaseBench {
  readonly kv: RecordStore;
  /** The clock that all nodes use. */
  readonly clock: { time: number };
  node(id: string, instance?: string): Leases;
  /** Removes a pulse, as the database does when a pulse is not renewed. */
  expire(instance: string): Promise<void>;
}

async function withParts(run: (parts: LeaseBench) => Promise<void>): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const clock = { time: 0 };
  try {
    await run({
      kv,
      clock,
      node: (id, instance = `${id}1`) =>
        new Leases({ kv, id, instance, monotonic: () => clock.time }),
      expire: (instance) => kv.delete(keys.pulse(instance)),
    });
  } finally {
    kv.close();
  }
}

Deno.test("Leases are held by one node, and by another once the first stops reporting", () =>
  withParts(async ({ node, expire }) => {
    const [a, b] = [node("a"), node("b")];
    const gained: string[] = [];
    b.onGained("events", () => gained.push("events"));
    await a.round();
    await b.round();
    assert.deepEqual([a.roles, b.roles], [ROLES, []]);
    await expire("a1");
    await b.round();
    assert.deepEqual([b.roles, gained], [ROLES, ["events"]]);
    await a.round();
    assert.deepEqual(a.roles, [], "the node notices that it no longer leads anything");
  }));

Deno.test("Leases call back those waiting for a role when a late pulse regains the lease", () =>
  withParts(async ({ node, clock, expire }) => {
    const a = node("a");
    await a.round();
    let begun = 0;
    a.onGained("events", () => begun++);
    assert.equal(begun, 1);
    clock.time = PULSE_MS / 2;
    await a.round();
    assert.equal(begun, 1, "the node has led the whole time");
    clock.time = 10 * PULSE_MS;
    await expire("a1");
    assert.ok(!a.leads("events"), "the store was down");
    await a.round();
    assert.ok(a.leads("events"));
    assert.equal(begun, 2);
  }));

Deno.test("Leases that are released can be taken immediately", () =>
  withParts(async ({ node }) => {
    const [a, b] = [node("a"), node("b")];
    await a.round();
    await a.release();
    await b.round();
    assert.deepEqual([a.roles, b.roles], [[], ROLES]);
  }));

Deno.test("a node keeps the leases of its previous process, because no one else has its data directory", () =>
  withParts(async ({ node }) => {
    await node("a").round();
    const again = node("a", "a2");
    await again.round();
    assert.deepEqual(again.roles, ROLES);
  }));

Deno.test("Leases.leads() is false if the lease may have expired, regardless of what the store says", () =>
  withParts(async ({ node, clock }) => {
    const a = node("a");
    await a.round();
    clock.time = PULSE_MS - 1;
    assert.ok(a.leads("events"));
    clock.time = PULSE_MS;
    assert.ok(!a.leads("events"));
    assert.equal(await a.during("events", () => Promise.resolve("done")), undefined);
    await a.round();
    assert.ok(a.leads("events"), "no one has taken it in the meantime");
  }));

Deno.test("a round stores everything until another node leads, and nothing after that", () =>
  withParts(async ({ kv, node, expire }) => {
    const [a, b] = [node("a"), node("b")];
    await a.round();
    const round = a.during("health", async (lease) => {
      await kv.atomic().set(["before"], 1).commit(lease);
      await expire("a1");
      await b.round();
      await kv.atomic().set(["after"], 1).commit(lease);
    });
    await assert.rejects(round, LeaseLostError);
    assert.equal((await kv.get(["before"])).value, 1);
    assert.equal((await kv.get(["after"])).value, null);
    assert.ok(!a.leads("health"));
  }));

Deno.test("a failed check in a round does not affect the lease", () =>
  withParts(async ({ kv, node }) => {
    const a = node("a");
    await a.round();
    await kv.set(["there"], 1);
    const committed = await a.during(
      "bot",
      (lease) =>
        kv.atomic().check({ key: ["there"], versionstamp: null }).set(["there"], 2).commit(lease),
    );
    assert.deepEqual(committed, { ok: false });
  }));
