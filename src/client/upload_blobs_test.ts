import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { MAX_BATCH_BLOBS, MAX_BATCH_BYTES } from "../contract/blobs.ts";
import { sha256Hex } from "../lib/hash.ts";
import { createClient } from "./client.ts";
import { ApiError, CutUploadError } from "./errors.ts";
import { type BlobSource, planUpload, uploadBlobs } from "./upload_blobs.ts";
import { inTestFolder } from "../lib/_test_folder.ts";
import { untilAborted } from "../lib/_test_until_aborted.ts";

const FAST = { retries: 3, firstPause: 0, longestPause: 5 };

const blobOfSize = (size: number): BlobSource => ({ sha256: "0".repeat(64), size, content: "/x" });

Deno.test("planUpload() keeps order and limits, and includes everything", () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.integer({ min: 0, max: 100 })),
    { maxLength: 1500 },
  );
  fc.assert(
    fc.property(sizes, (all) => {
      const blobs = all.map(blobOfSize);
      const { batches, single } = planUpload(blobs);
      const large = blobs.filter(({ size }) => size > 1024 * 1024);
      assert.deepEqual(single, large);
      assert.deepEqual(batches.flat(), blobs.filter((blob) => !large.includes(blob)));
      for (const batch of batches) {
        assert.ok(batch.length > 0 && batch.length <= MAX_BATCH_BLOBS);
        assert.ok(batch.reduce((sum, { size }) => sum + size, 0) <= MAX_BATCH_BYTES);
      }
    }),
    { numRuns: 40 },
  );
});

/**
 * Returns a blob store that rejects content with the wrong hash and fails a given number of times.
 */
function createBlobStore(options: { failures: number }) {
  const stored = new Map<string, number>();
  let failures = options.failures;
  let requests = 0;
  const keep = (name: string, bytes: Uint8Array) => {
    assert.equal(sha256Hex(bytes), name);
    stored.set(name, bytes.byteLength);
  };
  const answer: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    requests++;
    const path = new URL(request.url).pathname;
    if (request.method === "PUT") keep(path.split("/").at(-1)!, await request.bytes());
    else {
      for (const [name, part] of await request.formData()) {
        keep(name, await (part as File).bytes());
      }
    }
    if (failures-- > 0) {
      stored.clear();
      return new Response("busy", { status: 503 });
    }
    return Response.json({ stored: [] });
  };
  return { stored, fetch: answer, requestCount: () => requests };
}

async function withFiles(
  sizes: readonly number[],
  use: (blobs: BlobSource[]) => Promise<void>,
): Promise<void> {
  return await inTestFolder(async (folder) => {
    const blobs = await Promise.all(sizes.map(async (size, index) => {
      const path = join(folder, String(index));
      const bytes = new Uint8Array(size).fill(index + 1);
      await Deno.writeFile(path, bytes);
      return { sha256: sha256Hex(bytes), size, content: path };
    }));
    await use(blobs);
  });
}

Deno.test("uploadBlobs() sends small and large blobs, and reports each", async () => {
  await withFiles([0, 10, 500_000, 1_500_000], async (blobs) => {
    const store = createBlobStore({ failures: 0 });
    const client = createClient({ baseUrl: "http://platform.test", fetch: store.fetch });
    const reported = { files: 0, bytes: 0 };
    await uploadBlobs(client, blobs, {
      onProgress: ({ files, bytes }) => {
        reported.files += files;
        reported.bytes += bytes;
      },
    });
    assert.deepEqual([...store.stored.values()].sort((a, b) => a - b), [0, 10, 500_000, 1_500_000]);
    assert.deepEqual(reported, { files: 4, bytes: 2_000_010 });
    assert.equal(store.requestCount(), 2);
  });
});

Deno.test("uploadBlobs() reads a blob again for each attempt", async () => {
  await withFiles([1_500_000], async (blobs) => {
    const store = createBlobStore({ failures: 2 });
    const client = createClient({ baseUrl: "http://platform.test", fetch: store.fetch });
    await uploadBlobs(client, blobs, { retries: FAST });
    assert.equal(store.stored.size, 1);
    assert.equal(store.requestCount(), 3);
  });
});

Deno.test("uploadBlobs() reports the progress of a large blob, and subtracts resent bytes", async () => {
  await withFiles([1_500_000], async (blobs) => {
    const store = createBlobStore({ failures: 1 });
    const client = createClient({ baseUrl: "http://platform.test", fetch: store.fetch });
    const steps: { files: number; bytes: number }[] = [];
    await uploadBlobs(client, blobs, { retries: FAST, onProgress: (done) => steps.push(done) });
    assert.ok(steps.filter(({ bytes }) => bytes > 0).length > 10, String(steps.length));
    assert.ok(steps.some(({ bytes }) => bytes < 0));
    assert.equal(steps.reduce((sum, { bytes }) => sum + bytes, 0), 1_500_000);
    assert.deepEqual(steps.filter(({ files }) => files > 0).length, 1);
  });
});

Deno.test("uploadBlobs() stops the other requests when one has failed permanently", async () => {
  await withFiles([1_500_000, 1_600_000, 10], async (blobs) => {
    const aborted: boolean[] = [];
    const secondStarted = Promise.withResolvers<void>();
    let requests = 0;
    const client = createClient({
      baseUrl: "http://platform.test",
      fetch: async (_, init) => {
        requests++;
        if (requests === 1) {
          await secondStarted.promise;
          return new Response(null, { status: 400 });
        }
        secondStarted.resolve();
        return await untilAborted(init!.signal!).finally(() => aborted.push(true));
      },
    });
    await assert.rejects(uploadBlobs(client, blobs, { retries: FAST, concurrency: 2 }), ApiError);
    assert.deepEqual(aborted, [true]);
  });
});

Deno.test("uploadBlobs() reports which blobs were cut off, and after how many bytes", async () => {
  const content = new Uint8Array(10);
  const blob: BlobSource = { sha256: sha256Hex(content), size: 10, content };
  const client = createClient({
    baseUrl: "http://platform.test",
    fetch: () => Promise.reject(new TypeError("connection reset")),
  });
  await assert.rejects(uploadBlobs(client, [blob], { retries: FAST }), (error) => {
    assert.ok(error instanceof CutUploadError);
    assert.deepEqual(error.upload, { blobs: [blob.sha256], sent: 0, size: 10 });
    return true;
  });
});
