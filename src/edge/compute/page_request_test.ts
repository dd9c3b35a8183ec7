import assert from "node:assert/strict";
import type { ServerRequest } from "./compute_request.ts";
import { pageRequest } from "./page_request.ts";

const REQUEST: ServerRequest = {
  method: "GET",
  id: "r1",
  authority: "shop.example.com",
  scheme: "https",
  ip: "192.0.2.1",
  header: () => null,
  fields: () => [],
  body: null,
  signal: new AbortController().signal,
};

const asked = (authority: string) =>
  pageRequest({ ...REQUEST, authority }, { path: "/a", query: "" });

Deno.test("pageRequest() shares a page among the requests for its host and port", () => {
  const { key, sharedRequest } = asked("shop.example.com");
  assert.equal(key, "* https://shop.example.com/a");
  const headers = new Map(sharedRequest([]).headers);
  assert.equal(headers.get("host"), "shop.example.com");
  assert.equal(headers.get("x-forwarded-host"), "shop.example.com");
  assert.equal(asked("shop.example.com:8443").key, "* https://shop.example.com:8443/a");
});

Deno.test("pageRequest() sends nothing about the client to the server", () => {
  const { sharedRequest } = asked("shop.example.com");
  assert.ok(!JSON.stringify(sharedRequest([]).headers).includes(REQUEST.ip));
});
