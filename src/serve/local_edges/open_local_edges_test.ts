import assert from "node:assert/strict";
import { completeSettings } from "../../settings/mod.ts";
import type { CompleteOptions } from "../options.ts";
import { edgeCount } from "./open_local_edges.ts";

const countOf = (given: Partial<CompleteOptions>, processors?: number): number =>
  edgeCount(completeSettings({ dataDir: "/data", ...given }) as CompleteOptions, processors);

Deno.test("edgeCount() is the requested number, even with HTTPS", () => {
  const tls = { certFile: "a", keyFile: "b" };
  assert.deepEqual([countOf({ edges: 0 }), countOf({ edges: 3 }), countOf({ edges: 1, tls })], [
    0,
    3,
    1,
  ]);
});

Deno.test("edgeCount() of auto is zero with HTTPS, otherwise one per two processors above two", () => {
  const counts = [1, 2, 3, 4, 7, 16].map((processors) => countOf({ edges: "auto" }, processors));
  assert.deepEqual(counts, Deno.build.os === "linux" ? [0, 0, 1, 2, 3, 8] : [0, 0, 0, 0, 0, 0]);
  assert.equal(countOf({ edges: "auto", https: true }, 16), 0);
  assert.equal(countOf({}, 16), 0, "the default");
});
