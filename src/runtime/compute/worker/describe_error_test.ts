import assert from "node:assert/strict";
import { describeError } from "./describe_error.ts";

Deno.test("describeError() shows the author's frames, with paths in the deployment", () => {
  const error = new TypeError("no such thing");
  error.stack = [
    "TypeError: no such thing",
    "    at handler (file:///srv/dpl_1/server/entry.mjs:7:54)",
    "    at Server.emit (ext:deno_node/_events.mjs:4:461)",
    "    at async handler (node:http:1729:16)",
    "    at ext:deno_http/00_serve.ts:750:29",
    `    at inRequest (${new URL("../engine/request_scope.ts", import.meta.url).href}:15:45)`,
    "    at file:///srv/dpl_1/chunk.mjs:1:1",
    "    at Object.<anonymous> (/srv/dpl_1/common.cjs:2:7)",
  ].join("\n");
  assert.equal(
    describeError(error, "/srv/dpl_1"),
    [
      "TypeError: no such thing",
      "    at handler (server/entry.mjs:7:54)",
      "    at chunk.mjs:1:1",
      "    at Object.<anonymous> (common.cjs:2:7)",
    ].join("\n"),
  );
  assert.equal(describeError("text", "/srv"), 'Uncaught "text"');
});
