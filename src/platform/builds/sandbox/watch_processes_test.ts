import assert from "node:assert/strict";
import { until } from "../../../lib/_test_until.ts";
import { spawnProgram } from "../../../lib/spawn_program.ts";
import { SESSION_NICE, watchProcesses } from "./watch_processes.ts";

/** Returns whether this system shares processors between sessions (sched(7), autogroup). */
function hasAutogroups(): boolean {
  try {
    return Deno.readTextFileSync("/proc/sys/kernel/sched_autogroup_enabled").trim() === "1" &&
      Deno.readTextFileSync("/proc/self/autogroup") !== "";
  } catch {
    return false;
  }
}

/** Runs a shell command in its own session, and then kills all processes of the session. */
async function withSession(script: string, run: (pid: number) => Promise<void>): Promise<void> {
  const child = spawnProgram("/bin/sh", {
    args: ["-c", script],
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  try {
    await run(child.pid);
  } finally {
    for (const pid of [...childrenOf(child.pid), child.pid]) Deno.kill(pid, "SIGKILL");
    await child.status;
  }
}

const childrenOf = (pid: number): number[] =>
  Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);

const sessionNice = (pid: number): number =>
  Number(/nice (-?\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/autogroup`))?.[1]);

Deno.test({
  name: "watchProcesses() lowers the priority of each session, including later ones",
  ignore: Deno.build.os !== "linux" || !hasAutogroups(),
  fn: () =>
    withSession("setsid sleep 60 & exec sleep 60", async (pid) => {
      await until(() => childrenOf(pid).length === 1);
      const own = sessionNice(Deno.pid);
      const watch = watchProcesses(pid, { maxBytes: Infinity });
      try {
        await until(() =>
          [pid, ...childrenOf(pid)].every((each) => sessionNice(each) === SESSION_NICE)
        );
        assert.equal(watch.exceeded.aborted, false);
        assert.equal(sessionNice(Deno.pid), own, "of the watcher's own session");
      } finally {
        watch.stop();
      }
    }),
});

Deno.test({
  name: "watchProcesses() counts the memory of descendants",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withSession("sleep 60 & exec sleep 60", async (pid) => {
      const watch = watchProcesses(pid, { maxBytes: 1 });
      try {
        await until(() => watch.exceeded.aborted);
      } finally {
        watch.stop();
      }
    }),
});
