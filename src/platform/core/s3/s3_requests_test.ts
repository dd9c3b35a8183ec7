import assert from "node:assert/strict";
import { runCollected } from "../../../lib/_test_collected.ts";

/** Reads a body that stalls after ten bytes, and prints the error and whether the body ended. */
const STALLED = `
import { DEFAULT_PATIENCE, S3Requests } from "${import.meta.resolve("./s3_requests.ts")}";
import { parseS3Place } from "${import.meta.resolve("./s3_place.ts")}";

const cut = Promise.withResolvers();
const stalled = () => new ReadableStream({
  start: (controller) => controller.enqueue(new Uint8Array(10)),
  cancel: () => cut.resolve(),
});
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () =>
  new Response(stalled()));
const requests = new S3Requests({
  place: parseS3Place("s3://bucket?endpoint=http://127.0.0.1:" + server.addr.port),
  credentials: { accessKeyId: "id", secretAccessKey: "secret" },
  patience: { ...DEFAULT_PATIENCE, idleMs: IDLE_MS },
  now: Date.now,
  onChange() {},
});
const { body } = await requests.send({ method: "GET", key: "file" });
const reading = Array.fromAsync(body);
setTimeout(() => CLOSES && requests.close(), 200);
console.log(await reading.catch(String));
await cut.promise;
console.log("cut");
Deno.exit();
`;

const readStalled = (idleMs: number, closes: boolean): Promise<string> =>
  runCollected(STALLED.replace("IDLE_MS", String(idleMs)).replace("CLOSES", String(closes)));

Deno.test("S3Requests.send() gives up on a body that stalls", async () => {
  const printed = await readStalled(200, false);
  assert.equal(printed, "S3Error: 504 Timeout the response was interrupted\ncut\n");
});

Deno.test("S3Requests.close() ends a body that is being read", async () => {
  assert.equal(await readStalled(30_000, true), "S3Error: The signal has been aborted\ncut\n");
});
