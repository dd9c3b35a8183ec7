import assert from "node:assert/strict";
import { DenoStore } from "../../store/mod.ts";
import { EdgeRegistry } from "./edge_registry.ts";

/** Runs a test on two nodes that share a store, in which there is an edge called `far`. */
async function withNodes(
  test: (one: EdgeRegistry, other: EdgeRegistry) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const options = {
    kv,
    box: { deriveBytes: () => Promise.resolve(new Uint8Array(32)) },
    now: Date.now,
    random: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
    country: () => undefined,
  };
  const [one, other] = [new EdgeRegistry(options), new EdgeRegistry(options)];
  try {
    await one.add("far");
    await other.reread();
    await test(one, other);
  } finally {
    kv.close();
  }
}

const at = (address: string, country?: string) => ({ addresses: [address], country });

Deno.test("EdgeRegistry.place() keeps the first addresses, even if another node stored them", () =>
  withNodes(async (one, other) => {
    assert.equal(await one.place("far", at("192.0.2.1", "NZ")), true);
    assert.equal(await other.place("far", at("198.51.100.9", "NZ")), false);
    const kept = [{ name: "far", isDrained: false, ...at("192.0.2.1", "NZ") }];
    assert.deepEqual(other.places(), kept);
    await one.reread();
    assert.deepEqual(one.places(), kept);
    assert.equal(await other.place("far", at("192.0.2.1", "AU")), true);
    await one.reread();
    assert.equal(one.places()[0]?.country, "AU");
  }));

Deno.test("EdgeRegistry.place() refuses one of two addresses that are reported at once", () =>
  withNodes(async (one, other) => {
    const results = await Promise.all([
      one.place("far", at("192.0.2.1")),
      other.place("far", at("198.51.100.9")),
    ]);
    assert.deepEqual(results.toSorted(), [false, true]);
    assert.deepEqual(one.places(), other.places());
  }));

Deno.test("EdgeRegistry.place() does not undo what another node has changed", () =>
  withNodes(async (one, other) => {
    await one.drain("far", true);
    assert.equal(await other.place("far", at("192.0.2.1")), true);
    assert.equal(other.isDrained("far"), true);
  }));
