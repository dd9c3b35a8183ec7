import assert from "node:assert/strict";
import { join } from "node:path";
import { FILL_SOCKETS } from "../../../lib/_test_fill_sockets.ts";
import { findGroupPlace, openControlGroups } from "../../../lib/control_groups.ts";
import { killMarked } from "../../../lib/marked_processes.ts";
import { createSecretMasker } from "../../../lib/mask_secrets.ts";
import { DEFAULTS } from "../../../settings/mod.ts";
import { StillRunningError, waitForEnd } from "../sandbox/end_processes.ts";
import { runSandboxed, type SandboxedBuild } from "./run_sandboxed.ts";

const MARK = "SVC_TEST_MARK";

/** Runs a script without a sandbox, and kills its leftover processes. */
async function withScript(
  script: string,
  test: (build: SandboxedBuild) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-run-" });
  const mark = join(folder, "mark");
  try {
    await test({
      run: {
        uid: 0,
        root: folder,
        shown: [{ from: folder, to: folder }],
        command: ["/bin/sh", "-c", script],
        env: { [MARK]: mark },
        limits: { processes: 500, fileBytes: 2 ** 20 },
      },
      sandbox: {
        kind: "open",
        program: { command: ["/bin/echo"], needs: [], env: {} },
        hidden: [],
      },
      limits: { ...DEFAULTS.builds.limits, timeMs: 60_000 },
      folders: [folder],
      log: { add() {}, end: () => Promise.resolve() },
      masker: createSecretMasker([]),
      signal: new AbortController().signal,
      drainMs: 100,
      onTrouble() {},
    });
  } finally {
    await killMarked(`${MARK}=${mark}`);
    await Deno.remove(folder, { recursive: true });
  }
}

/** Shell code that starts a process in its own session, and then waits until it runs. */
const LEAVE = `setsid sh -c ': >left; exec sleep 1000'`;
const LEFT = "& while [ ! -e left ]; do :; done";

const linux = { ignore: Deno.build.os !== "linux" };

Deno.test(
  "runSandboxed() ends even if a process that left the build keeps its output open",
  linux,
  () =>
    withScript(`${LEAVE} ${LEFT}; exec sleep 1000`, async (build) => {
      const limits = { ...build.limits, timeMs: 300 };
      const end = await runSandboxed({ ...build, limits });
      assert.deepEqual(end, { type: "failed", reason: "The build took longer than 0 seconds" });
    }),
);

Deno.test(
  "runSandboxed() ends even if a process keeps only stderr open, and keeps the last output",
  linux,
  () =>
    withScript(`echo gone >&2; ${LEAVE} >/dev/null ${LEFT}; exit 3`, async (build) => {
      const troubles: string[] = [];
      const end = await runSandboxed({ ...build, onTrouble: (message) => troubles.push(message) });
      const reason = "The build process exited early, with code 3";
      assert.deepEqual([end, troubles], [
        { type: "failed", reason },
        ["A build process exited early: gone"],
      ]);
    }),
);

const place = findGroupPlace();

Deno.test({
  name: "runSandboxed() limits kernel memory with a control group" +
    ("problem" in place ? ` (skipped: ${place.problem})` : ""),
  ignore: "problem" in place,
  fn: () =>
    withScript(`exec /usr/bin/python3 -c '${FILL_SOCKETS}' 1500`, async (build) => {
      await openControlGroups();
      const limits = { ...build.limits, memoryBytes: 100_000_000 };
      const end = await runSandboxed({ ...build, limits });
      const reason = "The build used more than 95.4 MiB of memory";
      assert.deepEqual(end, { type: "failed", reason });
    }),
});

Deno.test("waitForEnd() gives up on a process that does not exit, and reports its ID", async () => {
  const { promise: status, resolve } = Promise.withResolvers<Deno.CommandStatus>();
  await assert.rejects(waitForEnd({ pid: 4711, status }, 1), (error: Error) => {
    assert.ok(error instanceof StillRunningError);
    assert.match(error.message, /^Process 4711 is still running \d+ s after it was killed$/);
    return true;
  });
  resolve({ success: false, code: 137, signal: "SIGKILL" });
  await waitForEnd({ pid: 4711, status });
});
