import assert from "node:assert/strict";
import { join } from "node:path";
import { processesOf } from "./end_processes.ts";
import { findSandbox } from "./find_sandbox.ts";
import { type SandboxKind, startSandbox } from "./sandbox.ts";

/** A user ID that no platform uses for builds. */
const UID = 62_345;

const PROBE = { command: ["/bin/echo"], needs: [], env: {} };

/**
 * Runs a hostile script in a sandbox for a moment, stops it, and returns any remaining processes.
 */
async function leftAfter(kind: SandboxKind, script: string): Promise<number[]> {
  const folder = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "svc-sandbox-" });
  try {
    await Deno.chmod(folder, 0o711);
    await Deno.mkdir(join(folder, "root"));
    const run = {
      uid: UID,
      root: join(folder, "root"),
      shown: [],
      command: ["/bin/sh", "-c", `${script}\nexec sleep 60`],
      env: {},
      limits: { processes: 500, fileBytes: 2 ** 20 },
    };
    const { child, end } = startSandbox(run, { kind, program: PROBE, hidden: [] });
    const closed = [child.stderr.cancel()];
    const reader = child.stdout.getReader();
    assert.equal((await reader.read()).done, false, "the script runs");
    const ended = end();
    assert.equal(end(), ended, "a second call waits for the same result");
    await ended;
    const left = processesOf(UID);
    await Promise.all([...closed, reader.cancel(), child.stdin.close().catch(() => {})]);
    return left;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const MANY = "i=0; while [ $i -lt 200 ]; do (while :; do :; done) & i=$((i + 1)); done; echo run";
const KILLER = `setsid sh -c 'echo run; while :; do kill -KILL -1; done' &`;

const attacks: readonly (readonly [string, SandboxKind, string])[] = [
  ["many busy processes", "namespaces", MANY],
  ["many busy processes", "user", MANY],
  ["a process that kills every process that tries to end it", "user", KILLER],
];

for (const [name, kind, script] of attacks) {
  Deno.test({
    name: `startSandbox() in ${kind} leaves nothing of ${name} behind after it ends`,
    ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
    async fn(t) {
      const options = { folder: "/var/tmp", program: PROBE, uid: UID, hidden: [], open: false };
      const found = await findSandbox({ ...options, only: kind });
      await t.step({
        name: "no process is left",
        ignore: found !== kind,
        fn: async () => assert.deepEqual(await leftAfter(kind, script), []),
      });
    },
  });
}
