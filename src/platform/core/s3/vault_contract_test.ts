import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../../lib/hash.ts";
import {
  BlobDamagedError,
  BlobMismatchError,
  BlobTooLargeError,
  type BlobVault,
  openFsBlobVault,
} from "../store/mod.ts";
import { openTestStorage } from "./_test_storage.ts";
import { openS3BlobVault } from "./s3_blob_vault.ts";
import { DenoStore, Lease, type RecordStore } from "../../../store/mod.ts";

const LEASE = Lease.ofSoleNode("housekeeping");

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const OTHER = "01890000-0000-7000-8000-000000000002";
const DAY_MS = 24 * 60 * 60_000;
const PART_BYTES = 5 * 1024 * 1024;
const HUGE = { maxBytes: Number.MAX_SAFE_INTEGER };

const bytes = (text: string) => new TextEncoder().encode(text);
const streamOf = (content: Uint8Array<ArrayBuffer>) => new Blob([content]).stream();
const textOf = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  await new Response(stream).text();

/** A kind of blob vault. The same tests run on every kind. */
interface Kind {
  readonly name: string;
  /** Opens an empty vault, which the caller must close. */
  open(folder: string, kv: RecordStore): Promise<BlobVault & AsyncDisposable>;
}

const KINDS: readonly Kind[] = [
  {
    name: "files",
    async open(folder) {
      const vault = await openFsBlobVault(folder);
      return { ...vault, [Symbol.asyncDispose]: () => Promise.resolve() };
    },
  },
  {
    name: "object storage",
    async open(folder, kv) {
      const storage = await openTestStorage();
      const vault = await openS3BlobVault({
        place: storage.place,
        env: storage.env,
        kv,
        cache: join(folder, "cache"),
        now: Date.now,
        partBytes: PART_BYTES,
        onDamaged() {},
        onTrouble() {},
      });
      return {
        ...vault,
        async [Symbol.asyncDispose]() {
          await vault.settled();
          vault.close();
          await storage[Symbol.asyncDispose]();
        },
      };
    },
  },
];

interface Tools {
  readonly vault: BlobVault;
  readonly folder: string;
}

const TESTS: Readonly<Record<string, (tools: Tools) => Promise<void>>> = {
  async "stores bytes and streams, and reads them in every way"({ vault, folder }) {
    const blobs = vault.of(WORKSPACE);
    for (const text of ["", "hello", "x".repeat(70_000)]) {
      const sha256 = sha256Hex(text);
      if (text.length % 2 === 0) await blobs.put(sha256, bytes(text));
      else await blobs.putStream(sha256, streamOf(bytes(text)), HUGE);
      assert.equal(await blobs.size(sha256), text.length);
      assert.equal(await blobs.verify(sha256), text.length);
      assert.equal(new TextDecoder().decode(await blobs.read(sha256)), text);
      assert.equal(await textOf(await blobs.stream(sha256)), text);
      assert.equal(await textOf((await blobs.openFile(sha256)).stream), text);
      const path = join(folder, `link-${text.length}`);
      await blobs.link(sha256, path);
      assert.equal(await Deno.readTextFile(path), text);
    }
    const sha256 = sha256Hex("hello");
    assert.equal(await textOf(await blobs.stream(sha256, { start: 1, end: 3 })), "ell");
  },

  async "stores content of several parts"({ vault }) {
    const content = new Uint8Array(2 * PART_BYTES + 12_345);
    for (let at = 0; at < content.length; at += 4099) content[at] = at % 251;
    const sha256 = sha256Hex(content);
    const blobs = vault.of(WORKSPACE);
    await blobs.putStream(sha256, streamOf(content), HUGE);
    assert.equal(await blobs.size(sha256), content.length);
    assert.equal(sha256Hex(await blobs.read(sha256)), sha256);
  },

  async "keeps workspaces separate, and lists all of them"({ vault }) {
    const sha256 = sha256Hex("mine");
    await vault.of(WORKSPACE).put(sha256, bytes("mine"));
    assert.equal(await vault.of(OTHER).size(sha256), undefined);
    await assert.rejects(vault.of(OTHER).read(sha256), BlobDamagedError);
    const listed = await Array.fromAsync(vault.list());
    const [{ workspaceId, size }] = listed as [typeof listed[0]];
    assert.deepEqual([listed.length, workspaceId, size], [1, WORKSPACE, 4]);
    assert.equal(await vault.countWorkspaces(), 1);
  },

  async "refuses content with another hash, or too much of it"({ vault }) {
    const blobs = vault.of(WORKSPACE);
    const sha256 = sha256Hex("announced");
    await assert.rejects(blobs.put(sha256, bytes("other")), BlobMismatchError);
    await assert.rejects(
      blobs.putStream(sha256, streamOf(bytes("other")), HUGE),
      BlobMismatchError,
    );
    await assert.rejects(
      blobs.putStream(sha256, streamOf(bytes("announced")), { maxBytes: 3 }),
      BlobTooLargeError,
    );
    assert.equal(await blobs.verify(sha256), undefined);
    assert.deepEqual(await Array.fromAsync(vault.list()), []);
  },

  async "keeps nothing of an interrupted upload"({ vault }) {
    const blobs = vault.of(WORKSPACE);
    const cut = new ReadableStream({
      pull(controller) {
        controller.enqueue(bytes("half"));
        controller.error(new Error("cut off"));
      },
    }, { highWaterMark: 0 });
    await assert.rejects(blobs.putStream(sha256Hex("half and more"), cut, HUGE), /cut off/);
    assert.deepEqual(await Array.fromAsync(vault.list()), []);
  },

  async "looks up many blobs at once"({ vault }) {
    const blobs = vault.of(WORKSPACE);
    const texts = Array.from({ length: 50 }, (_, index) => `blob ${index}`);
    await Promise.all(texts.map((text) => blobs.put(sha256Hex(text), bytes(text))));
    const missing = sha256Hex("missing");
    const sizes = await blobs.verifyAll([...texts.map(sha256Hex), missing]);
    assert.equal(sizes.size, 51);
    assert.equal(sizes.get(missing), undefined);
    assert.ok(texts.every((text) => sizes.get(sha256Hex(text)) === text.length));
  },

  async "eventually removes unused blobs, and nothing else"({ vault }) {
    const blobs = vault.of(WORKSPACE);
    const [kept, orphan] = [sha256Hex("kept"), sha256Hex("orphan")];
    await blobs.put(kept, bytes("kept"));
    await blobs.put(orphan, bytes("orphan"));
    const round = (now: number, minAgeMs: number) =>
      vault.sweep({
        lease: LEASE,
        mark: () => Promise.resolve((_workspace, sha256) => sha256 === kept),
        minAgeMs,
        now,
      });
    const now = Date.now();
    assert.equal(await round(now, DAY_MS), 0, "too young");
    let removed = 0;
    for (const days of [2, 4, 6]) removed += await round(now + days * DAY_MS, DAY_MS);
    assert.equal(removed, 1);
    const left = await Array.fromAsync(vault.list());
    assert.deepEqual(left.map(({ sha256 }) => sha256), [kept]);
  },
};

for (const kind of KINDS) {
  for (const [name, run] of Object.entries(TESTS)) {
    Deno.test(`blobs in ${kind.name}: ${name}`, async () => {
      const folder = await Deno.makeTempDir({ prefix: "svc-vault-" });
      const kv = await DenoStore.open(":memory:");
      try {
        await using vault = await kind.open(folder, kv);
        await run({ vault, folder });
      } finally {
        kv.close();
        await Deno.remove(folder, { recursive: true });
      }
    });
  }
}
