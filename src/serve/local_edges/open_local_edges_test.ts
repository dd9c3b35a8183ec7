import assert from "node:assert/strict";
import { completeSettings } from "../../settings/mod.ts";
import type { CompleteOptions } from "../options.ts";
import { edgeCount, type Machine } from "./open_local_edges.ts";

const GIB = 1024 ** 3;

const countOf = (given: Partial<CompleteOptions>, machine: Partial<Machine> = {}): number =>
  edgeCount(completeSettings({ dataDir: "/data", ...given }) as CompleteOptions, {
    processors: 16,
    memory: 64 * GIB,
    os: "linux",
    ...machine,
  });

Deno.test("edgeCount() returns the requested number, even with HTTPS or on a small machine", () => {
  const tls = { certFile: "a", keyFile: "b" };
  const counts = [countOf({ edges: 0 }), countOf({ edges: 3 }), countOf({ edges: 1, tls })];
  assert.deepEqual(counts, [0, 3, 1]);
  assert.equal(countOf({ edges: 2 }, { processors: 1, memory: GIB / 2, os: "darwin" }), 2);
});

Deno.test("edgeCount() defaults to half the processors if there are more than two", () => {
  const counts = [1, 2, 3, 4, 7, 16].map((processors) => countOf({}, { processors }));
  assert.deepEqual(counts, [0, 0, 1, 2, 3, 8]);
  assert.equal(countOf({ edges: "auto" }), 8);
  assert.equal(countOf({}, { processors: 4096, memory: 4096 * GIB }), 256);
});

Deno.test("edgeCount() defaults to 0 with HTTPS and on systems other than Linux", () => {
  assert.equal(countOf({ tls: { certFile: "a", keyFile: "b" } }), 0);
  assert.equal(countOf({ https: true }), 0);
  for (const os of ["darwin", "windows"] as const) assert.equal(countOf({}, { os }), 0);
});

Deno.test("edgeCount() defaults to at most one edge per GiB of memory", () => {
  const counts = [0.5, 1, 2.9, 8].map((gib) => countOf({}, { memory: gib * GIB }));
  assert.deepEqual(counts, [0, 1, 2, 8]);
});
