import assert from "node:assert/strict";
import type { Build } from "../../contract/builds.ts";
import { timeText } from "./builds_page.tsx";

const NOW = Date.UTC(2026, 10, 27, 6);
const before = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const BUILD: Build = {
  id: "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e01",
  projectId: "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e02",
  project: "shop",
  state: "QUEUED",
  ahead: 0,
  branch: "main",
  commitSha: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
  environment: "production",
  error: null,
  queuedAt: before(90),
  startedAt: null,
  finishedAt: null,
};

const CASES: readonly (readonly [Partial<Build>, string])[] = [
  [{}, "next in the queue, waiting for 1 min 30 s"],
  [{ ahead: 3 }, "3 ahead, waiting for 1 min 30 s"],
  [{ state: "RUNNING", ahead: null, startedAt: before(20) }, "running for 20 s"],
  [{ state: "FAILED", startedAt: before(80), finishedAt: before(15) }, "took 1 min 5 s"],
  [{ state: "CANCELLED", finishedAt: before(15) }, "never started"],
];

for (const [fields, text] of CASES) {
  Deno.test(`timeText() of a ${fields.state ?? "QUEUED"} build: ${text}`, () => {
    assert.equal(timeText({ ...BUILD, ...fields }, NOW), text);
  });
}
