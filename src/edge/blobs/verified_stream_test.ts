import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/hash.ts";
import { MemoryBlobs } from "../_test_site.ts";
import { BlobCorruptError } from "./blob_reader.ts";
import { BlobStreams } from "./verified_stream.ts";

function bigBlob() {
  const bytes = new Uint8Array(300_000).map((_, index) => index % 251);
  const blob = { sha256: sha256Hex(bytes), size: bytes.byteLength };
  const blobs = new MemoryBlobs();
  blobs.content.set(blob.sha256, bytes);
  return { bytes, blob, blobs };
}

const readAll = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  new Uint8Array(await new Response(stream).arrayBuffer());

Deno.test("BlobStreams.whole() passes every byte on, the first time and later", async () => {
  const { bytes, blob, blobs } = bigBlob();
  const streams = new BlobStreams();
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await readAll(await streams.whole(blob, blobs)), bytes);
  }
});

Deno.test("BlobStreams.whole() breaks off before the last bytes of a changed blob", async () => {
  const { bytes, blob, blobs } = bigBlob();
  blobs.content.set(blob.sha256, bytes.map((byte, index) => index === 299_999 ? byte + 1 : byte));
  let received = 0;
  await assert.rejects(async () => {
    for await (const chunk of await new BlobStreams().whole(blob, blobs)) received += chunk.length;
  }, BlobCorruptError);
  assert.ok(received < blob.size);
});

Deno.test("BlobStreams.whole() breaks off on a blob that has become shorter", async () => {
  const { bytes, blob, blobs } = bigBlob();
  blobs.content.set(blob.sha256, bytes.slice(0, 200_000));
  await assert.rejects(readAll(await new BlobStreams().whole(blob, blobs)), BlobCorruptError);
});
