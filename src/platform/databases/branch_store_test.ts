import assert from "node:assert/strict";
import { DenoStore, type RecordStore, StoreLayer } from "../../store/mod.ts";
import { keys } from "../core/store/mod.ts";
import { BranchStore } from "./branch_store.ts";
import { branchRecord, databaseRecord } from "./records.ts";
import { MAX_BRANCHES } from "./sizes.ts";

const DATABASE = databaseRecord.parse({
  id: "d1",
  workspaceId: "w",
  projectId: "p1",
  name: "main",
  engine: "embedded",
  cuSize: "0.25",
  autoInject: true,
  envVar: "DATABASE_URL",
  environments: null,
  previewBranches: false,
  stopped: false,
  createdAt: 1,
  deletedAt: null,
});

const branch = (name: string) =>
  branchRecord.parse({
    id: name,
    databaseId: DATABASE.id,
    name,
    parent: "main",
    role: `role_${name}`,
    password: { keyId: "k", nonce: new Uint8Array(1), data: new Uint8Array(1) },
    verifier: "",
    storage: null,
    task: null,
    failure: null,
    gitBranch: null,
    createdAt: 1,
    resetAt: null,
    expiresAt: null,
  });

/** The store of one process, whose changes do not wait for those of another process. */
class ProcessStore extends StoreLayer {}

async function withDatabase(run: (kv: RecordStore) => Promise<void>): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  try {
    await kv.set(keys.database(DATABASE.projectId, DATABASE.id), DATABASE);
    await run(kv);
  } finally {
    kv.close();
  }
}

Deno.test("BranchStore.create() on several nodes never exceeds the maximum of branches", () =>
  withDatabase(async (kv) => {
    const store = new BranchStore(kv);
    for (let count = 1; count < MAX_BRANCHES; count++) {
      assert.equal(await store.create(DATABASE, branch(`b${count}`)), "created");
    }
    const nodes = Array.from({ length: 4 }, () => new BranchStore(new ProcessStore(kv)));
    const results = await Promise.all(
      nodes.map((node, index) => node.create(DATABASE, branch(`last${index}`))),
    );
    assert.deepEqual(results.toSorted(), ["created", "too many", "too many", "too many"]);
    assert.equal((await store.list(DATABASE.id)).length, MAX_BRANCHES);
    const kept = await kv.get(keys.database(DATABASE.projectId, DATABASE.id));
    assert.deepEqual(kept.value, DATABASE);
  }));

Deno.test("BranchStore.create() stores different branches that are created at the same time", () =>
  withDatabase(async (kv) => {
    const nodes = Array.from({ length: 4 }, () => new BranchStore(new ProcessStore(kv)));
    const results = await Promise.all(
      nodes.map((node, index) => node.create(DATABASE, branch(`b${index}`))),
    );
    assert.deepEqual(new Set(results), new Set(["created"]));
  }));
