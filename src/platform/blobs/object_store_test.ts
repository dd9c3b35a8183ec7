import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Lease } from "../../store/mod.ts";
import { PLACE, withStore } from "./_test_store.ts";
import { ALGORITHMS, Checksums } from "./checksums.ts";
import { KEEP_UPLOAD_MS } from "./limits.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("Checksums gives the check values of the catalogue", () => {
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

Deno.test("an upload that nobody goes on with is removed, and its bytes count no more", () =>
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

Deno.test("keys have no segment that HTTP clients remove from URLs", () =>
  withStore(async ({ objects }) => {
    const put = (key: string) => objects.put(PLACE, key, { content: contentOf("1"), described });
    for (const key of [".", "..", "../a", "a/./b", "a/.."]) {
      await assert.rejects(put(key), /has a segment/, key);
    }
    for (const key of ["...", "a/.b", "..a", "a./b"]) assert.equal((await put(key)).key, key);
  }));
