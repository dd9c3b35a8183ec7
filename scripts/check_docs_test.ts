import assert from "node:assert/strict";
import { findDocProblems } from "./check_docs.ts";

const INDEX = { path: "docs/decisions/README.md", text: "| [Layers](layers.md) | order |" };
const DECISION = {
  path: "docs/decisions/layers.md",
  text: "# Layers\n\n## Why `serve`'s layers?\n\n_In effect since 2026-11-22._\n\nBecause.\n",
};
const FILES = {
  exists: (path: string) => path === "src/serve/compose.ts" || path === DECISION.path,
  source: (path: string) =>
    path === "src/serve/compose.ts" ? "export function compose() {}" : undefined,
};

Deno.test("findDocProblems() accepts links to files and URLs", () => {
  const text = "[a](../src/serve/compose.ts#L1) [b](https://svc.test/x)";
  assert.deepEqual(findDocProblems([INDEX, DECISION, { path: "docs/a.md", text }], FILES), []);
});

Deno.test("findDocProblems() reports the line of a broken link", () => {
  const document = { path: "docs/a.md", text: "one\n[two](../src/gone.ts)" };
  const [problem, ...others] = findDocProblems([document], FILES);
  assert.match(problem!, /^docs\/a\.md:2: Link points to src\/gone\.ts, which does not exist/);
  assert.deepEqual(others, []);
});

Deno.test("findDocProblems() reports links to headings that do not exist", () => {
  const text = "# Here\n[a](decisions/layers.md#why-serves-layers) [b](#here)\n" +
    "[c](decisions/layers.md#why-not) [d](#there)";
  const problems = findDocProblems([INDEX, DECISION, { path: "docs/a.md", text }], {
    ...FILES,
    exists: (path) => path === DECISION.path || path === "docs/a.md",
  });
  assert.deepEqual(problems, [
    "docs/a.md:3: docs/decisions/layers.md has no heading #why-not: fix the link",
    "docs/a.md:3: docs/a.md has no heading #there: fix the link",
  ]);
});

Deno.test("findDocProblems() requires a status for each decision, and each topic in the index", () => {
  const text = "# New\n\n## Why?\n\n_In effect since 2026-11-22._\n\n## And how?\n\nBecause.\n";
  const problems = findDocProblems([INDEX, { path: "docs/decisions/new.md", text }], FILES);
  assert.equal(problems.length, 2);
  assert.match(problems[0]!, /new\.md:9: Write "_In effect since/);
  assert.match(problems[1]!, /README\.md: new\.md is missing/);
});

Deno.test("findDocProblems() finds a link whose file lacks the linked symbol", () => {
  const text = "[`compose()`](../src/serve/compose.ts)\n[`decompose`](../src/serve/compose.ts)";
  const problems = findDocProblems([{ path: "docs/a.md", text }], FILES);
  assert.deepEqual(problems, [
    "docs/a.md:2: src/serve/compose.ts has no decompose: fix the link or its text",
  ]);
});
