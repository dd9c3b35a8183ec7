import assert from "node:assert/strict";
import { HOP_BY_HOP } from "./hop_by_hop.ts";
import { canSetHeaders } from "./release_checks.ts";

Deno.test("canSetHeaders() refuses fields that the connection or the platform sets", () => {
  const own = ["Content-Length", "expect", "Host", "via", "x-svc-bypass"];
  for (const name of [...own, ...HOP_BY_HOP]) {
    assert.equal(canSetHeaders({ accept: "*/*", [name]: "1" }), false, name);
  }
  assert.equal(canSetHeaders({ accept: "*/*", authorization: "Bearer 1", cookie: "a=1" }), true);
});
