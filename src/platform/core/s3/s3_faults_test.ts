import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../../lib/hash.ts";
import { UnavailableError } from "../../../lib/unavailable_error.ts";
import { BlobDamagedError } from "../store/mod.ts";
import { type Fault, type FaultyStorage, openFaultyStorage } from "./_test_storage.ts";
import { type CachedVault, openS3BlobVault } from "./s3_blob_vault.ts";
import { DEFAULT_PATIENCE, type S3Patience } from "./s3_requests.ts";
import { DenoStore, type RecordStore } from "../../../store/mod.ts";

const WORKSPACE = "01890000-0000-7000-8000-000000000001";
const PART_BYTES = 64 * 1024;
const HUGE = { maxBytes: Number.MAX_SAFE_INTEGER };
/** Short pauses. The tests check the number of attempts, not their duration. */
const QUICK: S3Patience = {
  ...DEFAULT_PATIENCE,
  retries: 3,
  firstPauseMs: 1,
  longestPauseMs: 2,
  probeMs: 5,
};

const bytes = (text: string) => new TextEncoder().encode(text);
const streamOf = (content: Uint8Array<ArrayBuffer>) => new Blob([content]).stream();

function error(status: number, code: string): Response {
  return new Response(`<Error><Code>${code}</Code><Message>no</Message></Error>`, { status });
}

/** Applies a fault to the first `count` requests with a method, and passes on all others. */
function first(count: number, method: string, fault: Fault): Fault {
  return (request) => request.method === method && count-- > 0 ? fault(request) : "pass";
}

interface Tools {
  readonly storage: FaultyStorage;
  readonly folder: string;
  readonly kv: RecordStore;
  readonly messages: string[];
  /** Opens another node with the same bucket and records. */
  node(name: string, patience?: S3Patience): Promise<CachedVault>;
}

function testFaults(name: string, run: (tools: Tools) => Promise<void>): void {
  Deno.test(`object storage: ${name}`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "svc-s3-faults-" });
    const kv = await DenoStore.open(":memory:");
    const nodes: CachedVault[] = [];
    const messages: string[] = [];
    try {
      await using storage = await openFaultyStorage();
      const node = async (name: string, patience: S3Patience = QUICK) => {
        const vault = await openS3BlobVault({
          place: storage.place,
          env: storage.env,
          kv,
          cache: join(folder, name),
          now: Date.now,
          patience,
          partBytes: PART_BYTES,
          onDamaged: (message) => messages.push(message),
          onTrouble: (message) => messages.push(message),
        });
        nodes.push(vault);
        return vault;
      };
      try {
        await run({ storage, folder, kv, messages, node });
      } finally {
        for (const vault of nodes) {
          await vault.settled();
          vault.close();
        }
      }
    } finally {
      kv.close();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

const PASSING: Readonly<Record<string, Fault>> = {
  "503 SlowDown": () => error(503, "SlowDown"),
  "500": () => error(500, "InternalError"),
  "429": () => error(429, "TooManyRequests"),
  "a cut connection": () => "cut",
};

for (const [name, fault] of Object.entries(PASSING)) {
  testFaults(`uploads and downloads survive ${name}`, async ({ storage, node }) => {
    const sha256 = sha256Hex("content");
    const writer = (await node("a")).of(WORKSPACE);
    storage.fault = first(2, "PUT", fault);
    await writer.put(sha256, bytes("content"));
    const reader = (await node("b")).of(WORKSPACE);
    storage.fault = first(2, "GET", fault);
    assert.equal(new TextDecoder().decode(await reader.read(sha256)), "content");
    assert.equal(storage.requests.filter((line) => line.startsWith("PUT")).length, 3);
  });
}

testFaults("a download that is interrupted halfway is retried", async ({ storage, node }) => {
  const content = "x".repeat(200_000);
  const sha256 = sha256Hex(content);
  await (await node("a")).of(WORKSPACE).put(sha256, bytes(content));
  const reader = await node("b");
  storage.fault = first(2, "GET", async (request) => {
    const { headers, body } = await storage.pass(request);
    await body?.cancel();
    const half = new ReadableStream({
      pull(controller) {
        controller.enqueue(bytes(content.slice(0, 100_000)));
        controller.error(new Error("cut"));
      },
    }, { highWaterMark: 0 });
    return new Response(half, { headers });
  });
  assert.equal((await reader.of(WORKSPACE).read(sha256)).length, 200_000);
});

testFaults("a failed multipart upload leaves nothing behind", async ({ storage, node }) => {
  const vault = await node("a");
  const blobs = vault.of(WORKSPACE);
  const content = new Uint8Array(5 * PART_BYTES + 1).fill(7);
  const sha256 = sha256Hex(content);
  storage.fault = (request) =>
    request.url.includes("partNumber=4") ? error(503, "SlowDown") : "pass";
  await assert.rejects(blobs.putStream(sha256, streamOf(content), HUGE), UnavailableError);
  const aborted = storage.requests.filter((line) => line.startsWith("DELETE"));
  assert.equal(aborted.length, 1, "the upload is aborted");
  storage.fault = () => "pass";
  assert.deepEqual(await Array.fromAsync(vault.list()), []);
  assert.equal(await blobs.verify(sha256), undefined);
  await blobs.putStream(sha256, streamOf(content), HUGE);
  assert.equal(await (await node("b")).of(WORKSPACE).size(sha256), content.length);
});

testFaults(
  "an upload whose last response is lost counts as complete",
  async ({ storage, node }) => {
    const content = new Uint8Array(3 * PART_BYTES).fill(9);
    const sha256 = sha256Hex(content);
    let lost = 0;
    storage.fault = async (request) => {
      if (
        request.method !== "POST" || !request.url.includes("uploadId") || lost++ > 0
      ) return "pass";
      await (await storage.pass(request)).body?.cancel();
      return error(500, "InternalError");
    };
    await (await node("a")).of(WORKSPACE).putStream(sha256, streamOf(content), HUGE);
    assert.equal(await (await node("b")).of(WORKSPACE).size(sha256), content.length);
  },
);

testFaults("content that arrives damaged is fetched again", async ({ storage, node }) => {
  const sha256 = sha256Hex("right");
  await (await node("a")).of(WORKSPACE).put(sha256, bytes("right"));
  storage.fault = first(
    2,
    "GET",
    (request) => request.url.includes(sha256) ? new Response("wrong") : "pass",
  );
  const reader = await node("b");
  storage.fault = first(2, "GET", () => new Response("wrong"));
  assert.equal(new TextDecoder().decode(await reader.of(WORKSPACE).read(sha256)), "right");
});

testFaults("an object that stays damaged is missing for all nodes until it is stored again", async (
  { storage, node, messages },
) => {
  const sha256 = sha256Hex("right");
  await (await node("a")).of(WORKSPACE).put(sha256, bytes("right"));
  const reader = (await node("b")).of(WORKSPACE);
  storage.fault = (request) => request.method === "GET" ? new Response("wrong") : "pass";
  await assert.rejects(reader.read(sha256), BlobDamagedError);
  assert.match(messages.join("\n"), /is damaged in the object storage/);
  storage.fault = () => "pass";
  const third = (await node("c")).of(WORKSPACE);
  assert.equal(await third.verify(sha256), undefined);
  await third.put(sha256, bytes("right"));
  assert.equal(await reader.verify(sha256), 5);
  assert.equal(new TextDecoder().decode(await reader.read(sha256)), "right");
});

testFaults(
  "requests fail if the storage does not respond, and its name is reported",
  async ({ storage, node, messages }) => {
    const cached = sha256Hex("cached");
    const other = sha256Hex("other");
    const vault = await node("a", { ...QUICK, answerMs: 1000 });
    const blobs = vault.of(WORKSPACE);
    await blobs.put(cached, bytes("cached"));
    await (await node("b")).of(WORKSPACE).put(other, bytes("other"));
    const hung = Promise.withResolvers<Response>();
    storage.fault = () => hung.promise;
    await assert.rejects(blobs.read(other), UnavailableError);
    assert.match(vault.problem() ?? "", /bucket "svc-test.*cannot be used/);
    await assert.rejects(blobs.put(sha256Hex("new"), bytes("new")), UnavailableError);
    assert.equal(new TextDecoder().decode(await blobs.read(cached)), "cached");
    storage.fault = () => "pass";
    hung.resolve(error(503, "SlowDown"));
    // The background probe notices that the storage responds again.
    while (vault.problem() !== undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.match(messages.at(-1) ?? "", /is available again/);
    assert.equal(new TextDecoder().decode(await blobs.read(other)), "other");
  },
);

testFaults("simultaneous requests for one file share one fetch", async ({ storage, node }) => {
  const content = "y".repeat(100_000);
  const sha256 = sha256Hex(content);
  await (await node("a")).of(WORKSPACE).put(sha256, bytes(content));
  const reader = (await node("b")).of(WORKSPACE);
  storage.requests.length = 0;
  await Promise.all(Array.from({ length: 20 }, () => reader.read(sha256)));
  assert.equal(storage.requests.length, 1);
  await reader.read(sha256);
  const part = await reader.stream(sha256, { start: 10, end: 19 });
  assert.equal((await new Response(part).text()).length, 10);
  assert.equal(storage.requests.length, 1, "cached content is read without the storage");
});

testFaults(
  "a damaged or missing cached file is fetched again",
  async ({ storage, folder, node }) => {
    const sha256 = sha256Hex("content");
    const blobs = (await node("a")).of(WORKSPACE);
    await blobs.put(sha256, bytes("content"));
    const path = join(folder, "a", WORKSPACE, sha256.slice(0, 2), sha256);
    storage.requests.length = 0;
    await Deno.writeTextFile(path, "damaged");
    assert.equal(new TextDecoder().decode(await blobs.read(sha256)), "content");
    await Deno.remove(path);
    assert.equal(new TextDecoder().decode(await blobs.read(sha256)), "content");
    await Deno.writeTextFile(path, "cut");
    await blobs.reportDamage(sha256);
    assert.equal(await Deno.readTextFile(path), "content");
    assert.equal(storage.requests.length, 3);
  },
);

testFaults("the vault does not open if its access keys are refused", async ({ storage, node }) => {
  storage.fault = () => error(403, "InvalidAccessKeyId");
  await assert.rejects(node("a"), /Cannot use the object storage, bucket .*403 InvalidAccessKeyId/);
});
