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

Deno.test("BlobStreams.whole() passes on every byte, on the first read and later ones", async () => {
  const { bytes, blob, blobs } = bigBlob();
  const streams = new BlobStreams();
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(await readAll(await streams.whole(blob, blobs)), bytes);
  }
});

Deno.test("BlobStreams.whole() aborts before the last bytes of a changed blob", async () => {
  const { bytes, blob, blobs } = bigBlob();
  blobs.content.set(blob.sha256, bytes.map((byte, index) => index === 299_999 ? byte + 1 : byte));
  let received = 0;
  await assert.rejects(async () => {
    for await (const chunk of await new BlobStreams().whole(blob, blobs)) received += chunk.length;
  }, BlobCorruptError);
  assert.ok(received < blob.size);
});

Deno.test("BlobStreams.whole() aborts when a blob has become shorter", async () => {
  const { bytes, blob, blobs } = bigBlob();
  blobs.content.set(blob.sha256, bytes.slice(0, 200_000));
  await assert.rejects(readAll(await new BlobStreams().whole(blob, blobs)), BlobCorruptError);
});

Deno.test("BlobStreams.whole() aborts when a blob is damaged after it was verified, and reports it", async () => {
  const { bytes, blob, blobs } = bigBlob();
  const reported: string[] = [];
  const reader = {
    read: (sha256: string) => blobs.read(sha256),
    stream: (...args: Parameters<typeof blobs.stream>) => blobs.stream(...args),
    reportDamage: (sha256: string) => Promise.resolve(void reported.push(sha256)),
  };
  const streams = new BlobStreams();
  assert.deepEqual(await readAll(await streams.whole(blob, reader)), bytes);
  const rotten = [
    bytes.map((byte, at) => at === 5 ? byte ^ 1 : byte),
    bytes.slice(0, 200_000),
    new Uint8Array(),
  ];
  for (const content of rotten) {
    blobs.content.set(blob.sha256, content);
    let received = 0;
    await assert.rejects(async () => {
      for await (const chunk of await streams.whole(blob, reader)) received += chunk.length;
    }, BlobCorruptError);
    assert.ok(received < blob.size);
    blobs.content.set(blob.sha256, bytes);
    assert.deepEqual(
      await readAll(await streams.whole(blob, reader)),
      bytes,
      "the blob is intact again",
    );
  }
  assert.deepEqual(reported, rotten.map(() => blob.sha256));
});

Deno.test("BlobStreams.whole() passes a verified file to the runtime for ten minutes", async () => {
  const { bytes, blob, blobs } = bigBlob();
  let [now, fingerprint] = [0, "first"];
  const opened: ReadableStream[] = [];
  const reader = {
    read: (sha256: string) => blobs.read(sha256),
    stream: () => assert.fail("the file is opened instead"),
    openFile: async (sha256: string) => {
      const stream = await blobs.stream(sha256);
      opened.push(stream);
      return { fingerprint, stream };
    },
  };
  const streams = new BlobStreams(() => now);
  const isHandedOver = async (): Promise<boolean> => {
    const stream = await streams.whole(blob, reader);
    assert.deepEqual(await readAll(stream), bytes);
    return stream === opened.at(-1);
  };
  assert.equal(await isHandedOver(), false, "never verified");
  assert.equal(await isHandedOver(), true);
  now = 599_999;
  assert.equal(await isHandedOver(), true);
  now = 600_000;
  assert.equal(await isHandedOver(), false, "verified too long ago");
  assert.equal(await isHandedOver(), true);
  fingerprint = "replaced";
  assert.equal(await isHandedOver(), false, "another file");
  assert.equal(await isHandedOver(), true);
  fingerprint = "written to";
  blobs.content.set(blob.sha256, bytes.map((byte, at) => at === 5 ? byte ^ 1 : byte));
  await assert.rejects(isHandedOver(), BlobCorruptError);
});

Deno.test("BlobStreams.whole() does not trust a file whose transfer was interrupted", async () => {
  const { blob, blobs } = bigBlob();
  const reader = {
    read: (sha256: string) => blobs.read(sha256),
    stream: () => assert.fail("the file is opened instead"),
    openFile: async (sha256: string) => ({
      fingerprint: "same",
      stream: await blobs.stream(sha256),
    }),
  };
  const streams = new BlobStreams(() => 0);
  const broken = (await streams.whole(blob, reader)).getReader();
  await broken.read();
  await broken.cancel();
  blobs.content.set(blob.sha256, new Uint8Array(blob.size));
  await assert.rejects(readAll(await streams.whole(blob, reader)), BlobCorruptError);
});

Deno.test("BlobStreams.whole() releases a blob whose reader disconnects", async () => {
  const { blob, blobs } = bigBlob();
  const cancelled = Promise.withResolvers<unknown>();
  const reader = {
    read: (sha256: string) => blobs.read(sha256),
    stream: () =>
      Promise.resolve(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(10)),
          cancel: cancelled.resolve,
        }),
      ),
  };
  await (await new BlobStreams().whole(blob, reader)).cancel("gone");
  assert.equal(await cancelled.promise, "gone");
});

const textOf = async (stream: Promise<ReadableStream<Uint8Array<ArrayBuffer>>>) =>
  await readAll(await stream);

Deno.test("BlobStreams.range() returns the bytes of any range, across blocks", async () => {
  const { bytes, blob, blobs } = bigBlob();
  const streams = new BlobStreams();
  const edges = [0, 1, 65_535, 65_536, 65_537, 131_071, 131_072, 299_998, 299_999];
  for (const start of edges) {
    for (const end of edges.filter((each) => each >= start)) {
      const found = await textOf(streams.range(blob, { start, end }, blobs));
      assert.deepEqual(found, bytes.subarray(start, end + 1), `${start}-${end}`);
    }
  }
});

Deno.test("BlobStreams.range() reads the whole blob once, regardless of the number of requests", async () => {
  const { blob, blobs } = bigBlob();
  const streams = new BlobStreams();
  const range = { start: 5, end: 9 };
  await Promise.all(Array.from({ length: 5 }, () => textOf(streams.range(blob, range, blobs))));
  await textOf(streams.range(blob, range, blobs));
  assert.equal(blobs.streams, 1 + 5 + 1);
});

Deno.test("BlobStreams.range() returns no byte of a damaged block and reports it", async () => {
  const { bytes, blob, blobs } = bigBlob();
  const reported: string[] = [];
  const reader = {
    read: (sha256: string) => blobs.read(sha256),
    stream: (...args: Parameters<typeof blobs.stream>) => blobs.stream(...args),
    reportDamage: (sha256: string) => Promise.resolve(void reported.push(sha256)),
  };
  const streams = new BlobStreams();
  const sound = { start: 0, end: 10 };
  const damaged = { start: 140_000, end: 140_010 };
  await textOf(streams.range(blob, sound, reader));
  blobs.content.set(blob.sha256, bytes.map((byte, at) => at === 140_005 ? byte ^ 1 : byte));
  await assert.rejects(streams.range(blob, damaged, reader), BlobCorruptError);
  assert.deepEqual(reported, [blob.sha256]);
  // Once damage has been found, the whole blob is verified again before any part of it is sent.
  await assert.rejects(streams.range(blob, sound, reader), BlobCorruptError);
  await assert.rejects(new BlobStreams().range(blob, sound, reader), BlobCorruptError);
  blobs.content.set(blob.sha256, bytes);
  assert.deepEqual(
    await textOf(streams.range(blob, damaged, reader)),
    bytes.slice(140_000, 140_011),
  );
});

Deno.test("BlobStreams.range() releases the blob when the client disconnects", async () => {
  const { blob, blobs } = bigBlob();
  let open = 0;
  const reader = {
    read: (sha256: string) => blobs.read(sha256),
    stream: async (...args: Parameters<typeof blobs.stream>) => {
      open++;
      const source = (await blobs.stream(...args)).getReader();
      return new ReadableStream<Uint8Array<ArrayBuffer>>({
        async pull(controller) {
          const { value, done } = await source.read();
          if (!done) return controller.enqueue(value);
          open--;
          controller.close();
        },
        cancel: () => void open--,
      });
    },
  };
  const stream = await new BlobStreams().range(blob, { start: 0, end: 250_000 }, reader);
  await stream.cancel();
  assert.equal(open, 0);
});
