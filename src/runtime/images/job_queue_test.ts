import assert from "node:assert/strict";
import { JobQueue } from "./job_queue.ts";

const drain = (queue: JobQueue<string>): string[] => {
  const jobs: string[] = [];
  for (let job = queue.take(); job !== undefined; job = queue.take()) jobs.push(job);
  return jobs;
};

Deno.test("JobQueue serves owners in turn, and each owner's oldest job first", () => {
  const queue = new JobQueue<string>({ max: 10, maxOfOwner: 10 });
  for (const job of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(job[0]!, job);
  assert.deepEqual(drain(queue), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(queue.size, 0);
});

Deno.test("JobQueue refuses jobs beyond the limit for one owner, or for all owners", () => {
  const queue = new JobQueue<string>({ max: 3, maxOfOwner: 2 });
  assert.equal(queue.add("a", "a1"), true);
  assert.equal(queue.add("a", "a2"), true);
  assert.equal(queue.add("a", "a3"), false);
  assert.equal(queue.add("b", "b1"), true);
  assert.equal(queue.add("c", "c1"), false);
  assert.deepEqual(drain(queue), ["a1", "b1", "a2"]);
  assert.equal(queue.add("c", "c1"), true);
});
