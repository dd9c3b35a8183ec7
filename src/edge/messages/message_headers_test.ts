import assert from "node:assert/strict";
import {
  endToEndHeaders,
  isLoop,
  MAX_RETURNS,
  requestHeadersFor,
  responseHeadersFrom,
} from "./message_headers.ts";

const hop = {
  ip: "192.0.2.1",
  host: "site.test",
  scheme: "https",
  via: "1.0 other",
  pseudonym: "svc-ab12",
} as const;

Deno.test("endToEndHeaders() drops hop-by-hop fields, including those that Connection names", () => {
  assert.deepEqual(
    endToEndHeaders([
      ["Connection", "close, X-Private"],
      ["X-Private", "1"],
      ["Transfer-Encoding", "chunked"],
      ["TE", "trailers"],
      ["Proxy-Authorization", "Basic x"],
      ["Accept", "*/*"],
    ]),
    [["accept", "*/*"]],
  );
});

Deno.test("requestHeadersFor() adds client fields and drops those that the client sent itself", () => {
  const sent = requestHeadersFor([
    ["host", "site.test"],
    ["x-forwarded-for", "6.6.6.6"],
    ["x-forwarded-host", "evil.test"],
    ["forwarded", "for=6.6.6.6"],
    ["content-length", "5"],
    ["cookie", "a=b"],
    ["via", "1.0 forged-by-a-step"],
  ], hop);
  assert.deepEqual(sent, [
    ["content-length", "5"],
    ["cookie", "a=b"],
    ["x-forwarded-for", "192.0.2.1"],
    ["x-forwarded-host", "site.test"],
    ["x-forwarded-proto", "https"],
    ["via", "1.0 other, 1.1 svc-ab12"],
  ]);
});

Deno.test("isLoop() detects a request that came back to this edge too often", () => {
  const pseudonym = "svc-ab12";
  const returns = (count: number) => Array(count).fill("1.1 a, 1.1 svc-ab12 (comment)").join(", ");
  assert.ok(!isLoop({ via: returns(MAX_RETURNS), pseudonym }));
  assert.ok(isLoop({ via: returns(MAX_RETURNS + 1), pseudonym }));
  assert.ok(!isLoop({ via: Array(9).fill("1.1 svc-ab123").join(", "), pseudonym }));
  assert.ok(!isLoop({ via: null, pseudonym }));
});

Deno.test("responseHeadersFrom() keeps responses from forging the edge's fields", () => {
  assert.deepEqual(
    responseHeadersFrom([
      ["X-Svc-Request-Id", "forged"],
      ["X-Svc-Deployment", "forged"],
      ["Content-Length", "5"],
      ["Keep-Alive", "timeout=5"],
      ["Set-Cookie", "a=1"],
      ["Set-Cookie", "b=2"],
    ]),
    [["content-length", "5"], ["set-cookie", "a=1"], ["set-cookie", "b=2"]],
  );
});
