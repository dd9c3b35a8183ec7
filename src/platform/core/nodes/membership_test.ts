import assert from "node:assert/strict";
import { ROLES } from "./node_record.ts";
import { join } from "node:path";
import { systemRandom } from "../../../lib/clock.ts";
import { keys } from "../store/mod.ts";
import { Membership, NodeIdInUseError } from "./membership.ts";
import { keepIdentity, NodeFileError } from "./node_identity.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";
import { DenoStore, type RecordStore } from "../../../store/mod.ts";

async function withNodes(
  run: (
    join: (id: string, home: string, instance?: string) => Promise<Membership>,
    kv: RecordStore,
  ) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const joined: Membership[] = [];
  try {
    await run(async (id, home, instance = `${id} ${home}`) => {
      const membership = await Membership.join({
        id,
        home,
        instance,
        kv,
        version: "1.0.0",
        addresses: [`http://${home}`],
        url: `http://${home}`,
        now: () => 1000,
        monotonic: () => 0,
        lagMs: () => 7,
        onTrouble: assert.fail,
      });
      joined.push(membership);
      return membership;
    }, kv);
  } finally {
    for (const each of joined) await each.close();
    kv.close();
  }
}

Deno.test("Membership lists all nodes with their roles until they leave", () =>
  withNodes(async (join) => {
    const [a, b] = [await join("a", "x"), await join("b", "y")];
    const [first, second] = await b.list();
    assert.deepEqual(
      [first?.id, first?.addresses, first?.lagMs, first?.since, first?.roles.length],
      ["a", ["http://x"], 7, 1000, ROLES.length],
    );
    assert.deepEqual([second?.id, second?.roles], ["b", []]);
    await a.close();
    assert.deepEqual((await b.list()).map(({ id }) => id), ["b"]);
  }));

Deno.test("Membership.join() refuses a name that another data directory's node uses", () =>
  withNodes(async (join) => {
    await join("a", "x");
    await assert.rejects(join("a", "y"), (error: Error) => {
      assert.ok(error instanceof NodeIdInUseError);
      assert.match(error.message, /^Cannot start as node "a": .* at http:\/\/x\. .*--node-id/);
      return true;
    });
  }));

Deno.test("Membership.join() replaces an earlier process on the same data directory", () =>
  withNodes(async (join) => {
    await join("a", "x", "before");
    const again = await join("a", "x", "after");
    const [node, ...others] = await again.list();
    assert.deepEqual([node?.instance, node?.roles.length, others], ["after", ROLES.length, []]);
  }));

Deno.test("Membership.isAlive() is true while a process reports that it is alive", () =>
  withNodes(async (join, kv) => {
    const [a] = [await join("a", "x"), await join("b", "y")];
    assert.deepEqual([await a.isAlive("a x"), await a.isAlive("b y")], [true, true]);
    await kv.delete(keys.pulse("b y"));
    assert.equal(await a.isAlive("b y"), false);
  }));

Deno.test("keepIdentity() creates a name once, keeps a given name, and reports a damaged file", async () => {
  await inTestFolder(async (folder) => {
    const keep = (id?: string) => keepIdentity(folder, { id, random: systemRandom });
    const made = await keep();
    assert.match(made.id, /^node-[0-9a-f]{8}$/);
    assert.deepEqual(await keep(), made);
    assert.deepEqual(await keep("rack-1"), { ...made, id: "rack-1" });
    assert.deepEqual(await keep(), { ...made, id: "rack-1" });
    await Deno.writeTextFile(join(folder, "node.json"), "{");
    await assert.rejects(keep(), NodeFileError);
  });
});
