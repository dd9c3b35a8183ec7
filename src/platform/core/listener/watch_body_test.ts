import assert from "node:assert/strict";
import { watchBody, watchRequest } from "./watch_body.ts";

/**
 * Creates a request whose body the test sends, and records what is reported to the request's
 * watcher.
 */
function watchedRequest(headers: Readonly<Record<string, string>>) {
  const told: string[] = [];
  let controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (own) => void (controller = own),
  });
  const request = new Request("http://a.test/", { method: "POST", headers, body });
  const seen = watchBody(request, () => {
    told.push("wait");
    return { over: () => void told.push("over") };
  });
  const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
  return { request, seen, told, send, close: () => controller.close() };
}

const SHORT = { "content-length": "4", "content-type": "application/json" };

const READS: readonly [
  name: string,
  read: (request: Request) => Promise<unknown>,
  value: unknown,
][] = [
  ["json()", (request) => request.json(), 1234],
  ["text()", (request) => request.text(), "1234"],
  ["bytes()", async (request) => [...await request.bytes()], [49, 50, 51, 52]],
  ["arrayBuffer()", async (request) => (await request.arrayBuffer()).byteLength, 4],
  ["blob()", async (request) => (await request.blob()).size, 4],
  ["a copy", (request) => request.clone().text(), "1234"],
  ["a stream", async (request) => (await request.body!.getReader().read()).value?.length, 4],
];

for (const [name, read, value] of READS) {
  Deno.test(`watchBody() leaves a short body to the runtime, and watches ${name}`, async () => {
    const { request, seen, told, send, close } = watchedRequest(SHORT);
    assert.equal(seen, request);
    const reading = read(seen);
    await new Promise((resolve) => setTimeout(resolve));
    assert.deepEqual(told, ["wait"]);
    send("1234");
    close();
    assert.deepEqual(await reading, value);
    assert.deepEqual(told, ["wait", "over"]);
  });
}

Deno.test("watchBody() stops waiting for a short body that is cut off", async () => {
  const { seen, told, close } = watchedRequest(SHORT);
  const reading = assert.rejects(seen.json());
  close();
  await reading;
  assert.deepEqual(told, ["wait", "over"]);
});

Deno.test("watchBody() returns the same stream each time", () => {
  const { seen } = watchedRequest(SHORT);
  assert.equal(seen.body, seen.body);
});

for (const length of ["unknown", "65537"]) {
  Deno.test(`watchBody() watches each part of a body of ${length} bytes`, async () => {
    const headers: Record<string, string> = length === "unknown"
      ? {}
      : { "content-length": length };
    const { seen, told, send } = watchedRequest(headers);
    const reader = seen.body!.getReader();
    for (const part of ["one", "two"]) {
      const reading = reader.read();
      send(part);
      assert.equal(new TextDecoder().decode((await reading).value), part);
    }
    assert.deepEqual(told, ["wait", "over", "wait", "over"]);
  });
}

for (
  const [method, headers, shared, wanted] of [
    ["OPTIONS", {}, false, "none"],
    ["DELETE", {}, false, "none"],
    ["POST", { "content-length": "4" }, false, "watched"],
    ["DELETE", { "transfer-encoding": "chunked" }, false, "watched"],
    ["POST", {}, true, "watched"],
  ] as const
) {
  const version = shared ? "HTTP/2" : "HTTP/1";
  const name = `${method} with ${JSON.stringify(headers)} in ${version}`;
  Deno.test(`watchRequest() returns ${wanted} as the body of ${name}`, async () => {
    const request = new Request("http://a.test/", { method, headers, body: "1234" });
    let waits = 0;
    const awaits = () => ({ over: () => void waits++ });
    const seen = watchRequest(request, { shared, awaits });
    const { body } = seen;
    assert.equal(body === null, wanted === "none");
    await new Response(body).text();
    assert.equal(waits > 0, wanted === "watched");
  });
}

Deno.test("watchRequest() does not change a GET", () => {
  const request = new Request("http://a.test/");
  assert.equal(watchRequest(request, { shared: false, awaits: () => assert.fail() }), request);
  assert.equal(Object.getPrototypeOf(request), Request.prototype);
});
