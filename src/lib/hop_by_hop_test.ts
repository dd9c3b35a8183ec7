import assert from "node:assert/strict";
import { connectionOptions, dropHopByHop, HOP_BY_HOP } from "./hop_by_hop.ts";

/**
 * Fields that RFC 9110 requires to be removed: 7.6.1, 11.7.1 to 11.7.3, and 6.6.2 if no trailer is
 * passed on.
 */
const NAMED_BY_RFC_9110 = [
  "Connection",
  "Proxy-Connection",
  "Keep-Alive",
  "TE",
  "Transfer-Encoding",
  "Upgrade",
  "Proxy-Authenticate",
  "Proxy-Authorization",
  "Proxy-Authentication-Info",
  "Trailer",
];

Deno.test("HOP_BY_HOP contains every field that RFC 9110 removes at each hop", () => {
  for (const name of NAMED_BY_RFC_9110) assert.ok(HOP_BY_HOP.has(name.toLowerCase()), name);
});

Deno.test("dropHopByHop() drops hop-by-hop fields and the fields that Connection names", () => {
  const fields = [
    ["Connection", "close, X-Private"],
    ["connection", "x-other"],
    ["X-Private", "1"],
    ["X-Other", "2"],
    ["Keep-Alive", "timeout=5"],
    ["Accept", "*/*"],
    ["Set-Cookie", "a=1"],
    ["Set-Cookie", "b=2"],
  ] as const;
  assert.deepEqual(dropHopByHop(fields), fields.slice(5));
  assert.deepEqual([...connectionOptions(fields) ?? []], ["close", "x-private", "x-other"]);
  assert.equal(connectionOptions([["accept", "*/*"]]), undefined);
});
