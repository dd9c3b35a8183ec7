import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Lease } from "../../store/mod.ts";
import { PLACE, type TestStore, withStore } from "./_test_store.ts";
import { ALGORITHMS, Checksums } from "./checksums.ts";
import { KEEP_UPLOAD_MS } from "./limits.ts";
import { ObjectStore } from "./object_store.ts";
import { seedStore } from "./seed_store.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("Checksums returns the published check value of each algorithm", () => {
  const sums = new Checksums(ALGORITHMS);
  sums.update(bytes("12345"));
  sums.update(bytes("6789"));
  const hex = (base64: string) =>
    Array.from(atob(base64), (char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  const digests = sums.digests();
  assert.equal(hex(digests.get("crc32")!), "cbf43926");
  assert.equal(hex(digests.get("crc32c")!), "e3069283");
  assert.equal(hex(digests.get("crc64nvme")!), "ae8b14860a799888");
  const sha1 = createHash("sha1").update("123456789").digest("base64");
  assert.equal(digests.get("sha1"), sha1);
});

const described = { contentType: "text/plain", fields: {}, metadata: {} };
const contentOf = (text: string) => ({
  stream: new Blob([text]).stream(),
  size: text.length,
  algorithms: [],
  expected: () => new Map(),
});

Deno.test("an abandoned upload is removed, and its bytes no longer count against the quota", () =>
  withStore(async ({ uploads, objects, pass }) => {
    const old = await uploads.start(PLACE, "old", described);
    await uploads.addPart(old, 1, { content: contentOf("12345") });
    pass(KEEP_UPLOAD_MS + 1);
    const fresh = await uploads.start(PLACE, "fresh", described);
    await uploads.addPart(fresh, 1, { content: contentOf("1234") });
    const lease = Lease.ofSoleNode("housekeeping");
    assert.equal(await uploads.sweep(new AbortController().signal, lease), 1);
    const { items } = await uploads.listOpen(PLACE, { prefix: "", limit: 10 });
    assert.deepEqual(items.map(({ key }) => key), ["fresh"]);
    const use = await objects.usage.of(PLACE.projectId);
    assert.deepEqual(use.get("production"), { bytes: 4, objects: 0 });
  }));

Deno.test("keys cannot contain segments that HTTP clients remove from URLs", () =>
  withStore(async ({ objects }) => {
    const put = (key: string) => objects.put(PLACE, key, { content: contentOf("1"), described });
    for (const key of [".", "..", "../a", "a/./b", "a/.."]) {
      await assert.rejects(put(key), /has a segment/, key);
    }
    for (const key of ["...", "a/.b", "..a", "a./b"]) assert.equal((await put(key)).key, key);
  }));

const putText = ({ objects }: TestStore, key: string, text: string) =>
  objects.put(PLACE, key, { content: contentOf(text), described });

Deno.test("concurrent writes do not exceed the quota", () =>
  withStore(async (store) => {
    const { objects } = store;
    const source = await putText(store, "source", "1234");
    for (
      const write of [
        (key: string) => putText(store, key, "1234"),
        (key: string) => objects.copy(source, PLACE, key),
      ]
    ) {
      const keys = ["a", "b", "c", "d", "e"];
      const results = await Promise.allSettled(keys.map(write));
      const refused = results.filter((result) => result.status === "rejected");
      for (const { reason } of refused) assert.equal(reason.code, "QuotaExceeded");
      assert.ok(refused.length >= 3 && refused.length < keys.length, `${refused.length} refused`);
      for (const key of keys) await objects.delete(PLACE, key);
    }
  }, { quota: 12 }));

Deno.test("simultaneous uploads to two nodes together do not exceed the quota", () =>
  withStore(async ({ kv, vault, objects, now }) => {
    const other = new ObjectStore({ kv, vault, quota: objects.quota, now });
    const arriving = [objects, other].map((store, node) => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      const content = { ...contentOf("1234567"), stream: readable };
      const stored = store.put(PLACE, `${node}`, { content, described });
      return { writer: writable.getWriter(), stored };
    });
    for (const { writer } of arriving) await writer.write(bytes("1234567"));
    const [first, second] = arriving;
    await first!.writer.close();
    await first!.stored;
    await Promise.all([
      second!.writer.close(),
      assert.rejects(second!.stored, { code: "QuotaExceeded" }),
    ]);
    assert.equal(await objects.usage.recordedOf(PLACE.projectId), 7);
  }, { quota: 10 }));

Deno.test("replaced objects do not count against the quota", () =>
  withStore(async (store) => {
    const { objects, uploads } = store;
    await putText(store, "a", "12345678");
    const other = await putText(store, "b", "1234567");
    await putText(store, "a", "123456789");
    await objects.copy(other, PLACE, "a");
    await assert.rejects(putText(store, "a", "123456789ABCD"), { code: "QuotaExceeded" });
    await objects.delete(PLACE, "b");
    const upload = await uploads.start(PLACE, "c", described);
    for (const text of ["12345678", "123456789"]) {
      await uploads.addPart(upload, 1, { content: contentOf(text) });
    }
  }, { quota: 19 }));

Deno.test("a body of unknown length is refused as soon as it exceeds the quota", () =>
  withStore(async (store) => {
    const CHUNKS = 64;
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulled++ === CHUNKS) controller.close();
        else controller.enqueue(new Uint8Array(256 * 1024));
      },
    });
    const content = { ...contentOf(""), stream, size: undefined };
    await assert.rejects(store.objects.put(PLACE, "a", { content, described }), {
      code: "QuotaExceeded",
    });
    assert.ok(pulled < CHUNKS / 2, `read ${pulled} chunks`);
    const text = "x".repeat(1024 ** 2);
    assert.equal((await putText(store, "b", text)).size, text.length, "no longer counts");
    const one = { ...contentOf("1"), size: undefined };
    await assert.rejects(store.objects.put(PLACE, "c", { content: one, described }), {
      code: "QuotaExceeded",
    });
  }, { quota: 1024 ** 2 }));

Deno.test("seeding a store keeps objects that are written in the meantime", () =>
  withStore(async (store) => {
    const { kv, objects, now } = store;
    const preview = { ...PLACE, environment: "preview" };
    for (const key of ["a", "b"]) await putText(store, key, "production");
    const record = objects.record.bind(objects);
    objects.record = async (...given) => {
      objects.record = record;
      await objects.put(preview, "a", { content: contentOf("own"), described });
      return await record(...given);
    };
    await seedStore({ kv, objects, now }, PLACE, preview);
    assert.equal((await objects.get(preview, "a")).size, "own".length);
    assert.equal((await objects.get(preview, "b")).size, "production".length);
  }));
