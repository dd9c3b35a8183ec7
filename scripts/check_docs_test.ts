import assert from "node:assert/strict";
import { findDocProblems } from "./check_docs.ts";

const INDEX = { path: "docs/decisions/README.md", text: "| [Layers](layers.md) | 2026-11-22 |" };
const DECISION = { path: "docs/decisions/layers.md", text: "# Layers\n\n2026-11-22\n\nWhy.\n" };
const exists = (path: string) => path === "src/serve/compose.ts" || path === DECISION.path;

Deno.test("findDocProblems() accepts links to files, addresses and places on the page", () => {
  const text = "[a](../src/serve/compose.ts#L1) [b](https://svc.test/x) [c](#below)";
  assert.deepEqual(findDocProblems([INDEX, DECISION, { path: "docs/a.md", text }], exists), []);
});

Deno.test("findDocProblems() names the line of a link that leads nowhere", () => {
  const document = { path: "docs/a.md", text: "one\n[two](../src/gone.ts)" };
  const [problem, ...others] = findDocProblems([document], exists);
  assert.match(problem!, /^docs\/a\.md:2: Link leads to src\/gone\.ts, which does not exist/);
  assert.deepEqual(others, []);
});

Deno.test("findDocProblems() asks a decision for its date and its place in the index", () => {
  const decision = { path: "docs/decisions/new.md", text: "# New\n\nBecause.\n" };
  const problems = findDocProblems([INDEX, decision], exists);
  assert.equal(problems.length, 2);
  assert.match(problems[0]!, /new\.md:3: A decision has its date/);
  assert.match(problems[1]!, /README\.md: new\.md is missing/);
});
