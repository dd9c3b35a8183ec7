import assert from "node:assert/strict";
import { completeSettings } from "../../settings/mod.ts";
import type { CompleteOptions } from "../options.ts";
import { edgeCount } from "./open_local_edges.ts";

const countOf = (given: Partial<CompleteOptions>): number =>
  edgeCount(completeSettings({ dataDir: "/data", ...given }) as CompleteOptions);

Deno.test("edgeCount() is what was asked for, also on HTTPS", () => {
  const tls = { certFile: "a", keyFile: "b" };
  assert.deepEqual([countOf({ edges: 0 }), countOf({ edges: 3 }), countOf({ edges: 1, tls })], [
    0,
    3,
    1,
  ]);
});

Deno.test("edgeCount() of auto is none with HTTPS, else one for two processors above two", () => {
  const processors = navigator.hardwareConcurrency;
  const wanted = processors <= 2 || Deno.build.os !== "linux" ? 0 : Math.floor(processors / 2);
  assert.equal(countOf({ edges: "auto" }), wanted);
  assert.equal(countOf({ edges: "auto", https: true }), 0);
  assert.equal(countOf({}), 0);
});
