import assert from "node:assert/strict";
import { join } from "node:path";
import { openBlobFile, streamFile } from "./blob_file.ts";
import { BlobDamagedError } from "./blob_store.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

const CONTENT = new Uint8Array(200_000).map((_, index) => index % 251);

async function withFile(run: (path: string) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    const path = join(folder, "blob");
    await Deno.writeFile(path, CONTENT);
    await run(path);
  });
}

const readAll = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  new Uint8Array(await new Response(stream).arrayBuffer());

const fingerprintOf = async (path: string): Promise<string> => {
  const { fingerprint, stream } = await openBlobFile(path);
  await stream.cancel();
  return fingerprint;
};

Deno.test("openBlobFile() returns the whole content", () =>
  withFile(async (path) => {
    assert.deepEqual(await readAll((await openBlobFile(path)).stream), CONTENT);
  }));

Deno.test("openBlobFile() returns a different fingerprint once a file has changed", () =>
  withFile(async (path) => {
    const first = await fingerprintOf(path);
    assert.equal(await fingerprintOf(path), first);
    const { atime } = await Deno.stat(path);
    await Deno.writeFile(path, CONTENT.toReversed());
    await Deno.utime(path, atime!, new Date(2001, 0, 1));
    const written = await fingerprintOf(path);
    assert.notEqual(written, first);
    await Deno.writeFile(`${path}.new`, CONTENT);
    await Deno.utime(`${path}.new`, atime!, new Date(2001, 0, 1));
    await Deno.rename(`${path}.new`, path);
    assert.notEqual(await fingerprintOf(path), written);
    await Deno.truncate(path, 10);
    assert.notEqual(await fingerprintOf(path), written);
  }));

Deno.test("openBlobFile() and streamFile() report a missing blob by name", async () => {
  await assert.rejects(openBlobFile("/no/such/blob"), BlobDamagedError);
  await assert.rejects(streamFile("/no/such/blob", undefined), BlobDamagedError);
});
