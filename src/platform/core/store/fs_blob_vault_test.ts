import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../../lib/hash.ts";
import { BlobDamagedError, BlobMismatchError, BlobTooLargeError } from "./blob_store.ts";
import { openFsBlobVault } from "./fs_blob_vault.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";
import { Lease } from "../../../store/mod.ts";

const LEASE = Lease.ofSoleNode("housekeeping");

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const OTHER = "01890000-0000-7000-8000-000000000002";
const text = new TextEncoder().encode("hello world");
const hash = sha256Hex(text);

async function withVault(
  run: (vault: Awaited<ReturnType<typeof openFsBlobVault>>, root: string) => Promise<void>,
) {
  await inTestFolder(async (root) => {
    await run(await openFsBlobVault(root), root);
  });
}

const bytesOf = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  await new Response(stream).text();

Deno.test("BlobStore returns stored content, complete or as a range", () =>
  withVault(async (vault) => {
    const blobs = vault.of(WORKSPACE);
    await blobs.put(hash, text);
    assert.equal(await blobs.size(hash), 11);
    assert.deepEqual(await blobs.read(hash), text);
    assert.equal(await bytesOf(await blobs.stream(hash)), "hello world");
    assert.equal(await bytesOf(await blobs.stream(hash, { start: 6, end: 8 })), "wor");
  }));

Deno.test("BlobStore keeps workspaces separate", () =>
  withVault(async (vault) => {
    await vault.of(WORKSPACE).put(hash, text);
    assert.equal(await vault.of(OTHER).size(hash), undefined);
    await assert.rejects(vault.of(OTHER).read(hash), BlobDamagedError);
  }));

Deno.test("BlobStore refuses content with a different hash and keeps none of it", () =>
  withVault(async (vault, root) => {
    const blobs = vault.of(WORKSPACE);
    const wrong = sha256Hex("other");
    await assert.rejects(blobs.put(wrong, text), BlobMismatchError);
    const stream = new Blob([text]).stream();
    await assert.rejects(blobs.putStream(wrong, stream, { maxBytes: 100 }), BlobMismatchError);
    assert.equal(await blobs.size(wrong), undefined);
    assert.deepEqual(Array.from(Deno.readDirSync(join(root, "incoming"))), []);
  }));

Deno.test("BlobStore refuses a stream that is too long", () =>
  withVault(async (vault) => {
    const stream = new Blob([text]).stream();
    const put = vault.of(WORKSPACE).putStream(hash, stream, { maxBytes: 5 });
    await assert.rejects(put, BlobTooLargeError);
  }));

Deno.test("BlobStore notices content that changed on disk", () =>
  withVault(async (vault, root) => {
    const blobs = vault.of(WORKSPACE);
    await blobs.put(hash, text);
    await Deno.writeTextFile(join(root, WORKSPACE, hash.slice(0, 2), hash), "hello earth");
    await assert.rejects(blobs.read(hash), BlobDamagedError);
  }));

Deno.test("BlobStore.verifyAll() finds intact, changed and missing blobs", () =>
  withVault(async (vault, root) => {
    const texts = Array.from({ length: 100 }, (_, n) => `content ${n}`);
    const hashes = texts.map((each) => sha256Hex(each));
    const path = (sha256: string) => join(root, WORKSPACE, sha256.slice(0, 2), sha256);
    const writing = vault.of(WORKSPACE);
    for (const [n, each] of texts.entries()) {
      await writing.put(hashes[n]!, new TextEncoder().encode(each));
    }
    const sound = texts.map(({ length }) => length);
    // Verifies the blobs with the store that wrote them, and then twice with a store that must read
    // them first.
    const reading = (await openFsBlobVault(root)).of(WORKSPACE);
    for (const blobs of [writing, reading, reading]) {
      const sizes = await blobs.verifyAll(hashes);
      assert.deepEqual(hashes.map((sha256) => sizes.get(sha256)), sound);
    }
    await Deno.remove(path(hashes[3]!));
    await Deno.truncate(path(hashes[5]!), 4);
    for (const blobs of [writing, reading]) {
      const sizes = await blobs.verifyAll(hashes);
      const missing = hashes.filter((sha256) => sizes.get(sha256) === undefined);
      assert.deepEqual(missing, [hashes[3], hashes[5]]);
      assert.equal(sizes.size, hashes.length);
    }
  }));

Deno.test("BlobStore accepts only hashes and workspace IDs as names", () =>
  withVault(async (vault) => {
    await assert.rejects(vault.of(WORKSPACE).size("../../etc/passwd"), TypeError);
    assert.throws(() => vault.of("../x"), TypeError);
  }));

Deno.test("openFsBlobVault() removes files left half-written by a crash", () =>
  withVault(async (_, root) => {
    await Deno.writeTextFile(join(root, "incoming", "half"), "hel");
    await openFsBlobVault(root);
    assert.deepEqual(Array.from(Deno.readDirSync(join(root, "incoming"))), []);
  }));

Deno.test("BlobVault.sweep() removes old blobs that no one needs", () =>
  withVault(async (vault) => {
    const blobs = vault.of(WORKSPACE);
    const kept = sha256Hex("kept");
    await blobs.put(hash, text);
    await blobs.put(kept, new TextEncoder().encode("kept"));
    const mark = () => Promise.resolve((_: string, sha256: string) => sha256 === kept);
    assert.equal(await vault.sweep({ mark, minAgeMs: 60_000, now: Date.now(), lease: LEASE }), 0);
    assert.equal(await vault.sweep({ mark, minAgeMs: 0, now: Date.now() + 1000, lease: LEASE }), 1);
    assert.equal(await blobs.size(hash), undefined);
    assert.equal(await blobs.size(kept), 4);
  }));

Deno.test("BlobVault.sweep() keeps a blob that is requested in the meantime", () =>
  withVault(async (vault) => {
    const blobs = vault.of(WORKSPACE);
    await blobs.put(hash, text);
    const mark = async () => {
      await blobs.size(hash);
      return () => false;
    };
    assert.equal(await vault.sweep({ mark, minAgeMs: 0, now: Date.now() + 1000, lease: LEASE }), 0);
    assert.equal(await blobs.size(hash), 11);
  }));

Deno.test("openFsBlobVault() removes only its own node's unfinished writes", async () => {
  await inTestFolder(async (root) => {
    for (const owner of ["a", "b"]) {
      await openFsBlobVault(root, { owner });
      await Deno.writeTextFile(join(root, "incoming", owner, "half"), "");
    }
    await openFsBlobVault(root, { owner: "a" });
    const left = async (owner: string) =>
      (await Array.fromAsync(Deno.readDir(join(root, "incoming", owner)))).length;
    assert.deepEqual([await left("a"), await left("b")], [0, 1]);
  });
});

Deno.test("all nodes keep a blob in a shared folder if one of them looks it up", async () => {
  return await inTestFolder(async (root) => {
    const [a, b] = [
      await openFsBlobVault(root, { owner: "a" }),
      await openFsBlobVault(root, { owner: "b" }),
    ];
    const texts = ["by size", "by verify", "by verifyAll", "by link", "not requested"];
    const hashes = texts.map((each) => sha256Hex(each));
    const old = new Date(Date.now() - 2 * 60 * 60_000);
    for (const [index, each] of texts.entries()) {
      await b.of(WORKSPACE).put(hashes[index]!, new TextEncoder().encode(each));
      const path = join(root, WORKSPACE, hashes[index]!.slice(0, 2), hashes[index]!);
      await Deno.utime(path, old, old);
    }
    const blobs = b.of(WORKSPACE);
    // When the other node looks up the blobs, the sweep has already read which ones are needed.
    const mark = async () => {
      assert.equal(await blobs.size(hashes[0]!), texts[0]!.length);
      assert.equal(await blobs.verify(hashes[1]!), texts[1]!.length);
      assert.equal((await blobs.verifyAll([hashes[2]!])).get(hashes[2]!), texts[2]!.length);
      await blobs.link(hashes[3]!, join(root, "linked"));
      return () => false;
    };
    assert.equal(await a.sweep({ mark, minAgeMs: 60 * 60_000, now: Date.now(), lease: LEASE }), 1);
    const left = (await Array.fromAsync(a.list())).map(({ sha256 }) => sha256).sort();
    assert.deepEqual(left, hashes.slice(0, 4).sort());
  });
});
