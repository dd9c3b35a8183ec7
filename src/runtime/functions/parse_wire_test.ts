import assert from "node:assert/strict";
import { parseFetch, parseLog, parseResult } from "./parse_wire.ts";

const payload = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

const RESPONSE = { type: "response", status: 200, headers: [["x-a", "1"]], body: "none" };

const REFUSED: Readonly<Record<string, unknown>> = {
  "invalid JSON": "{",
  "a value that is not an object": 5,
  "an unknown type": { type: "redirect" },
  "a status below 200": { ...RESPONSE, status: 101 },
  "a status over 599": { ...RESPONSE, status: 600 },
  "a status that is not an integer": { ...RESPONSE, status: 200.5 },
  "a line break in a value": { ...RESPONSE, headers: [["x", "a\r\nset-cookie: b"]] },
  "a NUL in a value": { ...RESPONSE, headers: [["x", "a\0"]] },
  "a wide character in a value": { ...RESPONSE, headers: [["x", "\u0100"]] },
  "a name that is not a token": { ...RESPONSE, headers: [["x y", "1"]] },
  "an empty name": { ...RESPONSE, headers: [["", "1"]] },
  "a header with three parts": { ...RESPONSE, headers: [["x", "1", "2"]] },
  "too many headers": { ...RESPONSE, headers: Array(501).fill(["x", "1"]) },
  "an unknown body": { ...RESPONSE, body: "file" },
  "a line break in the reason": { ...RESPONSE, statusText: "a\r\nb" },
  "a method that is not a word": {
    type: "request",
    method: "GET /",
    url: "/",
    headers: [],
    body: "none",
  },
};

for (const [name, value] of Object.entries(REFUSED)) {
  Deno.test(`parseResult() refuses ${name}`, () => {
    assert.equal(parseResult(payload(value)), undefined);
  });
}

Deno.test("parseResult() refuses too many bytes, and bytes that are not UTF-8", () => {
  assert.equal(parseResult(new Uint8Array([0xff, 0xfe])), undefined);
  assert.equal(parseResult(payload(JSON.stringify(RESPONSE) + " ".repeat(300_000))), undefined);
});

Deno.test("parseResult() accepts a result and omits unknown parts", () => {
  const head = parseResult(payload('{"__proto__":{"x":1},"type":"next","extra":1}'));
  assert.deepEqual(head, { type: "next" });
  assert.deepEqual(parseResult(payload(RESPONSE)), RESPONSE);
});

Deno.test("parseFetch() and parseLog() refuse values that are out of bounds", () => {
  const fetch = { call: 2, method: "GET", url: "https://a.example/", headers: [], body: false };
  assert.equal(parseFetch(payload({ ...fetch, redirect: "always" })), undefined);
  assert.ok(parseFetch(payload({ ...fetch, redirect: "follow" })));
  assert.equal(parseLog(payload({ level: "fatal", message: "x" })), undefined);
  assert.equal(parseLog(payload({ level: "info", message: "x".repeat(5000) })), undefined);
  assert.ok(parseLog(payload({ level: "info", message: "x" })));
});
