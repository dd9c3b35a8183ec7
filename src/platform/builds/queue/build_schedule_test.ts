import assert from "node:assert/strict";
import fc from "fast-check";
import { nextBuild, type ScheduledBuild } from "./build_schedule.ts";

/** Converts `a/p1/main` to a build in workspace a, project p1, branch main. */
const parse = (text: string): ScheduledBuild => {
  const [workspaceId = "", projectId = "", branch = ""] = text.split("/");
  return { id: text, workspaceId, projectId, branch };
};

const ROWS: readonly [string, string[], string[], string | undefined][] = [
  ["no build is waiting", [], [], undefined],
  ["the oldest goes first", ["a/p1/x", "b/p2/x"], [], "a/p1/x"],
  ["a branch is built one commit at a time", ["a/p1/x"], ["a/p1/x"], undefined],
  ["another branch of the project can start", ["a/p1/x", "a/p1/y"], ["a/p1/x"], "a/p1/y"],
  ["another workspace goes first", ["a/p1/y", "b/p2/x"], ["a/p1/x"], "b/p2/x"],
  ["another project goes first", ["a/p1/y", "a/p2/x"], ["a/p1/x"], "a/p2/x"],
  ["a single workspace uses all workers", ["a/p1/z"], ["a/p1/x", "a/p1/y"], "a/p1/z"],
];

Deno.test("nextBuild() prefers the least busy workspaces and projects, then old builds", () => {
  for (const [name, waiting, running, wanted] of ROWS) {
    assert.equal(nextBuild(waiting.map(parse), running.map(parse))?.id, wanted, name);
  }
});

Deno.test("nextBuild() never starts two builds for one branch, and skips none", () => {
  const build = fc.tuple(
    fc.constantFrom("a", "b"),
    fc.constantFrom("1", "2"),
    fc.constantFrom("x", "y"),
  )
    .map(([workspace, project, branch]) => parse(`${workspace}/${workspace}${project}/${branch}`));
  fc.assert(
    fc.property(
      fc.array(build, { maxLength: 30 }),
      fc.integer({ min: 1, max: 4 }),
      (all, workers) => {
        const waiting = [...all];
        const running: ScheduledBuild[] = [];
        let done = 0;
        while (done < all.length) {
          const next = running.length < workers ? nextBuild(waiting, running) : undefined;
          if (next === undefined) {
            assert.ok(running.shift() !== undefined, "a build runs while another waits");
            done++;
            continue;
          }
          assert.ok(
            !running.some((each) =>
              each.projectId === next.projectId && each.branch === next.branch
            ),
          );
          waiting.splice(waiting.indexOf(next), 1);
          running.push(next);
        }
        assert.equal(waiting.length, 0);
      },
    ),
  );
});
