import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../../lib/hash.ts";
import { keys } from "../store/mod.ts";
import { type Decision, type FaultyStorage, openFaultyStorage } from "./_test_storage.ts";
import { parseS3Place } from "./s3_place.ts";
import { DEFAULT_PATIENCE, S3Requests } from "./s3_requests.ts";
import { type CachedVault, openS3BlobVault } from "./s3_blob_vault.ts";
import { DenoStore, Lease, type RecordStore } from "../../../store/mod.ts";

const LEASE = Lease.ofSoleNode("housekeeping");

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const HOUR_MS = 60 * 60_000;
const bytes = (text: string) => new TextEncoder().encode(text);
const SHA = sha256Hex("blob");

/** Two nodes with one bucket and one store, and a clock that the test sets. */
async function withNodes(
  run: (tools: {
    readonly a: CachedVault;
    readonly b: CachedVault;
    readonly kv: RecordStore;
    readonly storage: FaultyStorage;
    /** Runs a sweep on a node as if some hours had passed and no blobs were needed. */
    sweep(node: CachedVault, hours: number): Promise<number>;
  }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-s3-sweep-" });
  const kv = await DenoStore.open(":memory:");
  let hours = 0;
  const now = () => Date.now() + hours * HOUR_MS;
  try {
    await using storage = await openFaultyStorage();
    const node = (name: string) =>
      openS3BlobVault({
        place: storage.place,
        env: storage.env,
        kv,
        cache: join(folder, name),
        now,
        onDamaged() {},
        onTrouble() {},
      });
    const [a, b] = [await node("a"), await node("b")];
    try {
      await run({
        a,
        b,
        kv,
        storage,
        sweep(vault, later) {
          hours = later;
          const mark = () => Promise.resolve(() => false);
          return vault.sweep({ mark, minAgeMs: HOUR_MS, now: now(), lease: LEASE });
        },
      });
    } finally {
      for (const vault of [a, b]) {
        await vault.settled();
        vault.close();
      }
    }
  } finally {
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}

const markOf = async (kv: RecordStore) =>
  (await kv.get<{ state: string }>(keys.blobMark(WORKSPACE, SHA))).value?.state;

Deno.test("a sweep removes a blob a day after it was marked, on any node", () =>
  withNodes(async ({ a, b, kv, sweep }) => {
    await a.of(WORKSPACE).put(SHA, bytes("blob"));
    assert.equal(await sweep(a, 2), 0);
    assert.equal(await markOf(kv), "unneeded");
    assert.equal(await sweep(b, 25), 0);
    assert.equal(await sweep(b, 27), 1);
    assert.equal(await markOf(kv), undefined);
    assert.deepEqual(await Array.fromAsync(a.list()), []);
    assert.equal(
      await a.of(WORKSPACE).verify(SHA),
      undefined,
      "node a does not rely on what it saw earlier",
    );
  }));

Deno.test("a node that needs a blob removes the mark that another node has set", () =>
  withNodes(async ({ a, b, kv, sweep }) => {
    await a.of(WORKSPACE).put(SHA, bytes("blob"));
    await sweep(a, 2);
    assert.equal(await b.of(WORKSPACE).verify(SHA), 4);
    assert.equal(await markOf(kv), undefined);
    assert.equal(await sweep(a, 40), 0, "the day starts again");
    assert.equal(await b.of(WORKSPACE).verify(SHA), 4);
    assert.equal(await sweep(a, 60), 0);
  }));

Deno.test("a sweep keeps a blob whose mark is removed during the sweep", () =>
  withNodes(async ({ a, b, kv, storage, sweep }) => {
    await a.of(WORKSPACE).put(SHA, bytes("blob"));
    await sweep(a, 2);
    let found: number | undefined = -1;
    // The sweep reads the storage before it commits. Just then, node b starts to need the blob.
    storage.fault = async (request): Promise<Decision> => {
      if (found === -1 && request.url.includes("look")) {
        found = undefined;
        found = await b.of(WORKSPACE).verify(SHA);
      }
      return "pass";
    };
    assert.equal(await sweep(a, 30), 0);
    assert.equal(found, 4);
    assert.equal((await Array.fromAsync(b.list())).length, 1);
    assert.equal(await markOf(kv), undefined);
  }));

Deno.test("a blob that is being removed counts as missing, and is stored again afterwards", () =>
  withNodes(async ({ a, b, kv, storage, sweep }) => {
    await a.of(WORKSPACE).put(SHA, bytes("blob"));
    await sweep(a, 2);
    let stored: Promise<void> | undefined;
    storage.fault = async (request): Promise<Decision> => {
      if (request.method === "DELETE" && stored === undefined) {
        assert.equal(await markOf(kv), "removing");
        assert.equal(await b.of(WORKSPACE).verify(SHA), undefined);
        stored = b.of(WORKSPACE).put(SHA, bytes("blob"));
      }
      return "pass";
    };
    assert.equal(await sweep(a, 30), 1);
    await stored;
    assert.equal((await Array.fromAsync(b.list())).length, 1);
    assert.equal(await markOf(kv), undefined);
  }));

Deno.test("the storage refuses a late request to remove an object", async () => {
  await using storage = await openFaultyStorage();
  const requests = (ageMs: number) =>
    new S3Requests({
      place: parseS3Place(storage.place),
      credentials: {
        accessKeyId: storage.env.AWS_ACCESS_KEY_ID!,
        secretAccessKey: storage.env.AWS_SECRET_ACCESS_KEY!,
      },
      patience: DEFAULT_PATIENCE,
      now: () => Date.now() - ageMs,
      onChange() {},
    });
  const [late, timely] = [requests(60_000), requests(0)];
  try {
    const removal = await late.presign("DELETE", "key", 30);
    await assert.rejects(late.sendSigned(removal), /403/);
    await timely.sendSigned(await timely.presign("DELETE", "key", 30));
  } finally {
    late.close();
    timely.close();
  }
});
