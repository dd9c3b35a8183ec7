import assert from "node:assert/strict";
import { type AuditedChange, AuditLog } from "./audit_log.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

const ADA = "018f0000-0000-7000-8000-000000000001";
const BOB = "018f0000-0000-7000-8000-000000000002";

const change = (given: Partial<AuditedChange> = {}): AuditedChange => ({
  workspaceId: "w",
  action: "createHook",
  path: "/v1/deploy-hooks",
  project: null,
  user: { id: ADA, name: "Ada" },
  credential: { type: "session", id: BOB, name: "Firefox" },
  address: "192.0.2.1",
  requestId: "r1",
  target: null,
  changes: [],
  ...given,
});

async function withLog(
  test: (parts: { log: AuditLog; kv: RecordStore; troubles: string[] }) => Promise<void>,
) {
  const kv = await DenoStore.open(":memory:");
  const troubles: string[] = [];
  let time = 1_700_000_000_000;
  const log = new AuditLog({
    kv,
    now: () => time++,
    maxEntries: 3,
    random: (size) => crypto.getRandomValues(new Uint8Array(size)),
    onTrouble: (message) => troubles.push(message),
  });
  try {
    await test({ log, kv, troubles });
  } finally {
    kv.close();
  }
}

Deno.test("AuditLog lists matching entries, newest first, page by page", () =>
  withLog(async ({ log }) => {
    await log.record(change({ path: "/1" }));
    await log.record(change({ path: "/2", user: { id: BOB, name: "Bob" } }));
    await log.record(change({ path: "/3", action: "deleteHook" }));
    await log.record(change({ path: "/4", workspaceId: "other" }));
    const paths = async (selection: Parameters<AuditLog["list"]>[1]) =>
      (await log.list("w", selection)).items.map(({ path }) => path);
    assert.deepEqual(await paths({ limit: 10 }), ["/3", "/2", "/1"]);
    assert.deepEqual(await paths({ limit: 10, user: ADA }), ["/3", "/1"]);
    assert.deepEqual(await paths({ limit: 10, action: "createHook" }), ["/2", "/1"]);
    const first = await log.list("w", { limit: 2 });
    assert.equal(first.items.length, 2);
    assert.deepEqual(await paths({ limit: 2, cursor: first.nextCursor! }), ["/1"]);
    assert.equal(
      first.items[0]!.summary,
      "Delete a deploy hook. Its URL stops working immediately",
    );
  }));

Deno.test("AuditLog removes the oldest entries from a log that is too long", () =>
  withLog(async ({ log }) => {
    for (let index = 0; index < 5; index++) await log.record(change({ path: `/${index}` }));
    await log.record(change({ workspaceId: "other" }));
    assert.equal(await log.trim(new AbortController().signal), 2);
    const { items } = await log.list("w", { limit: 10 });
    assert.deepEqual(items.map(({ path }) => path), ["/4", "/3", "/2"]);
    assert.equal((await log.list("other", { limit: 10 })).items.length, 1);
  }));

Deno.test("AuditLog reports an entry that it cannot write", () =>
  withLog(async ({ log, kv, troubles }) => {
    const { set } = kv;
    kv.set = () => Promise.reject(new Error("the disk is full"));
    await log.record(change());
    kv.set = set;
    assert.match(troubles[0]!, /createHook \/v1\/deploy-hooks by Ada .*\(request r1\).*full/);
  }));
