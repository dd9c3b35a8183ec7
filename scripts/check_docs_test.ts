import assert from "node:assert/strict";
import { findDocProblems } from "./check_docs.ts";

const INDEX = { path: "docs/decisions/README.md", text: "| [Layers](layers.md) | 2026-11-22 |" };
const DECISION = { path: "docs/decisions/layers.md", text: "# Layers\n\n2026-11-22\n\nWhy.\n" };
const FILES = {
  exists: (path: string) => path === "src/serve/compose.ts" || path === DECISION.path,
  source: (path: string) =>
    path === "src/serve/compose.ts" ? "export function compose() {}" : undefined,
};

Deno.test("findDocProblems() accepts links to files, addresses and places on the page", () => {
  const text = "[a](../src/serve/compose.ts#L1) [b](https://svc.test/x) [c](#below)";
  assert.deepEqual(findDocProblems([INDEX, DECISION, { path: "docs/a.md", text }], FILES), []);
});

Deno.test("findDocProblems() names the line of a link that leads nowhere", () => {
  const document = { path: "docs/a.md", text: "one\n[two](../src/gone.ts)" };
  const [problem, ...others] = findDocProblems([document], FILES);
  assert.match(problem!, /^docs\/a\.md:2: Link leads to src\/gone\.ts, which does not exist/);
  assert.deepEqual(others, []);
});

Deno.test("findDocProblems() asks a decision for its date and its place in the index", () => {
  const decision = { path: "docs/decisions/new.md", text: "# New\n\nBecause.\n" };
  const problems = findDocProblems([INDEX, decision], FILES);
  assert.equal(problems.length, 2);
  assert.match(problems[0]!, /new\.md:3: A decision has its date/);
  assert.match(problems[1]!, /README\.md: new\.md is missing/);
});

Deno.test("findDocProblems() finds a link whose file has not the symbol that it names", () => {
  const text = "[`compose()`](../src/serve/compose.ts)\n[`decompose`](../src/serve/compose.ts)";
  const problems = findDocProblems([{ path: "docs/a.md", text }], FILES);
  assert.deepEqual(problems, [
    "docs/a.md:2: src/serve/compose.ts has no decompose: mend the link, or its name",
  ]);
});
