import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { blobPath } from "../../core/store/fs_blob_store.ts";
import { elements, PLACE, type TestStore, withStore } from "../_test_store.ts";

const code = async (response: Response) => elements(await response.text(), "Code")[0];

async function startUpload({ send }: TestStore, key: string): Promise<string> {
  const begun = await send(`production/${key}?uploads`, { method: "POST" });
  return elements(await begun.text(), "UploadId")[0]!;
}

const completion = (etag: string) =>
  "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>" +
  `<ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;

const SIZE = 2 * 1024 ** 2;

/** Stores an object, and returns a function that copies a range of it as part of an upload. */
async function openSource(store: TestStore) {
  await store.send("production/source", { method: "PUT", body: "x".repeat(SIZE) });
  const id = await startUpload(store, "target");
  return (range: string) =>
    store.send(`production/target?partNumber=1&uploadId=${id}`, {
      method: "PUT",
      headers: { "x-amz-copy-source": "/production/source", "x-amz-copy-source-range": range },
    });
}

Deno.test("a part can be copied only from a range within the source", () =>
  withStore(async (store) => {
    const copy = await openSource(store);
    for (const range of ["bytes=5-", "bytes=-5", "0-5", "bytes=5-2", "bytes=a-b", ""]) {
      assert.equal(await code(await copy(range)), "InvalidArgument", range);
    }
    assert.equal(await code(await copy(`bytes=0-${SIZE}`)), "InvalidRange");
    const copied = await copy(`bytes=${SIZE - 3}-${SIZE - 1}`);
    const etag = createHash("md5").update("xxx").digest("hex");
    assert.deepEqual(elements(await copied.text(), "ETag"), [`&quot;${etag}&quot;`]);
  }));

Deno.test("a part cannot be copied from a damaged source", () =>
  withStore(async (store) => {
    const copy = await openSource(store);
    const { sha256 } = await store.objects.get(PLACE, "source");
    const path = blobPath(`${store.folder}/blobs/${PLACE.workspaceId}`, sha256);
    await Deno.chmod(path, 0o600);
    await Deno.writeTextFile(path, `damage${"x".repeat(SIZE - 6)}`);
    assert.equal(await code(await copy("bytes=0-99")), "InternalError");
  }));

Deno.test("an upload completes even if its parts cannot be removed yet", () =>
  withStore(async (store) => {
    const id = await startUpload(store, "a");
    const path = `production/a?partNumber=1&uploadId=${id}`;
    const sent = await store.send(path, { method: "PUT", body: "hello" });
    const { usage } = store.objects;
    const note = usage.note.bind(usage);
    usage.note = (operation, place, change) => {
      if (change.bytes_added === undefined) throw new Error("the store is slow");
      note(operation, place, change);
    };
    const done = await store.send(`production/a?uploadId=${id}`, {
      method: "POST",
      body: completion(sent.headers.get("etag")!),
      // The checksum for the object, not for the XML.
      headers: { "x-amz-checksum-crc32": "NhCmhg==" },
    });
    assert.equal(done.status, 200, await done.text());
    assert.equal(await (await store.send("production/a")).text(), "hello");
  }));

Deno.test("lists with a limit of 0 uploads or parts are not truncated", () =>
  withStore(async (store) => {
    const id = await startUpload(store, "a");
    await store.send(`production/a?partNumber=1&uploadId=${id}`, { method: "PUT", body: "hello" });
    for (const path of ["?uploads&max-uploads=0", `/a?uploadId=${id}&max-parts=0`]) {
      const response = await store.send(`production${path}`);
      assert.equal(response.status, 200, path);
      assert.deepEqual(elements(await response.text(), "IsTruncated"), ["false"], path);
    }
  }));
