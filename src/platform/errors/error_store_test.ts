import assert from "node:assert/strict";
import { type ErrorGroup, seenOnce } from "./error_group.ts";
import { ErrorStore, MAX_GROUPS } from "./error_store.ts";
import { DenoStore } from "../../store/mod.ts";

const seen = (id: string, time: number): ErrorGroup =>
  seenOnce(
    { id, kind: "response", source: "", title: id, stack: null },
    {
      time,
      deploymentId: `of-${id}`,
      requestId: null,
      method: null,
      path: null,
      status: null,
      message: id,
    },
  );

Deno.test("ErrorStore.trim() removes the least recently seen errors of this project", async () => {
  using kv = await DenoStore.open(":memory:");
  const store = new ErrorStore(kv);
  const none = () => undefined;
  for (let time = 0; time < MAX_GROUPS + 3; time++) {
    await store.add("p", seen(`e${time}`, time), none);
  }
  await store.add("other", seen("old", 0), none);
  await store.add("p", seen("e1", MAX_GROUPS + 9), none);
  await store.trim("p");
  const left = await store.list("p");
  assert.equal(left.length, MAX_GROUPS);
  assert.equal(left[0]!.id, "e1");
  for (const gone of ["e0", "e2", "e3"]) assert.equal(await store.find("p", gone), undefined);
  assert.equal((await store.list("other")).length, 1);
});

Deno.test("ErrorStore adds up the counts of several nodes, and reports a new error once", async () => {
  using kv = await DenoStore.open(":memory:");
  const nodes = Array.from({ length: 4 }, () => new ErrorStore(kv));
  const added = await Promise.all(
    nodes.map((node, index) => node.add("p", seen("e", 10 - index), () => undefined)),
  );
  assert.equal(added.filter(({ isNew }) => isNew).length, 1);
  const sum = await nodes[0]!.find("p", "e");
  assert.deepEqual([sum?.count, sum?.firstSeen, sum?.lastSeen], [4, 7, 10]);
});
