import assert from "node:assert/strict";
import { openFileStream } from "./file_stream.ts";

Deno.test("openFileStream() returns a file's content in pieces that fit a server's buffer", async () => {
  const path = await Deno.makeTempFile();
  try {
    const content = crypto.getRandomValues(new Uint8Array(64 * 1024));
    await Deno.writeFile(path, content);
    const pieces: Uint8Array[] = [];
    for await (const piece of await openFileStream(path)) pieces.push(piece);
    assert.deepEqual(pieces.map(({ byteLength }) => byteLength), [60 * 1024, 4 * 1024]);
    assert.deepEqual(new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer()), content);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("openFileStream() closes the file when the reader stops", async () => {
  const path = await Deno.makeTempFile();
  try {
    const stream = await openFileStream(path);
    await stream.cancel(); // The test runner fails if a file stays open.
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("openFileStream() rejects for a missing file", async () => {
  await assert.rejects(openFileStream("/nonexistent/file"), Deno.errors.NotFound);
});
