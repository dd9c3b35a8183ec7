import assert from "node:assert/strict";
import { rawRequest } from "./_test_site.ts";
import { createRelay } from "./relay.ts";
import { ClientRequest, type MayKeep } from "./request/client_request.ts";

const RESPONSE = new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\npage");

/** Returns a connection to a platform that responds to each request, and the requests it got. */
function platform() {
  const heads: string[] = [];
  const closed = Promise.withResolvers<null>();
  let isAnswered = true;
  const conn = {
    write(bytes: Uint8Array) {
      heads.push(new TextDecoder().decode(bytes));
      isAnswered = false;
      return Promise.resolve(bytes.byteLength);
    },
    read(buffer: Uint8Array) {
      if (isAnswered) return closed.promise;
      isAnswered = true;
      buffer.set(RESPONSE);
      return Promise.resolve(RESPONSE.byteLength);
    },
    close: () => closed.resolve(null),
    ref: () => {},
    unref: () => {},
  };
  return { heads, dial: () => Promise.resolve(conn as unknown as Deno.Conn) };
}

/** Relays a conditional request for a part of a page. Returns its head and the response's body. */
async function relayed(method: string, mayKeep?: MayKeep) {
  const { heads, dial } = platform();
  const signed: string[] = [];
  const relay = createRelay({
    dial,
    redirectsToHttps: () => false,
    sign: (of) => {
      signed.push(of.method);
      return [];
    },
  });
  const headers = { "if-none-match": '"a"', "if-range": '"a"', range: "bytes=0-1", "x-a": "1" };
  const request = new ClientRequest(rawRequest("http://site.test/", { method, headers }), "r1", {
    connection: { remoteAddress: "192.0.2.1", scheme: "http" },
    lookups: {},
  });
  const { body } = await relay.ask(request, mayKeep);
  relay.close();
  const [line = "", ...fields] = heads[0]!.split("\r\n");
  const names = fields.map((field) => field.split(":")[0]!);
  const conditions = names.filter((name) => name.startsWith("if-") || name === "range");
  assert.ok(names.includes("x-a"));
  assert.deepEqual(signed, [line.split(" ")[0]]);
  return { line, conditions, body };
}

Deno.test("the relay sends a visitor's method, conditions and range", async () => {
  for (const mayKeep of [undefined, "visit"] as const) {
    const { line, conditions, body } = await relayed("GET", mayKeep);
    assert.deepEqual([line, body], ["GET / HTTP/1.1", "page"]);
    assert.deepEqual(conditions, ["if-none-match", "if-range", "range"]);
  }
});

Deno.test("the relay requests the whole page for a refresh", async () => {
  for (const method of ["GET", "HEAD"]) {
    const { line, conditions, body } = await relayed(method, "refresh");
    assert.deepEqual([line, conditions, body], ["GET / HTTP/1.1", [], "page"]);
  }
});
