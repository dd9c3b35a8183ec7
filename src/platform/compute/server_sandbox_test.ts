import assert from "node:assert/strict";
import {
  judgeNodeSandbox,
  judgeServerSandbox,
  refusalOf,
  sandboxWarning,
} from "./server_sandbox.ts";

const NEITHER = { files: false, calls: false };

Deno.test("judgeServerSandbox() refuses servers if any part is missing", () => {
  const rows = [
    [{ files: true, calls: true }, false, "enforced", 0],
    [{ files: true, calls: true }, true, "enforced", 0],
    [{ files: false, calls: true }, false, "refused", 1],
    [{ files: true, calls: false }, false, "refused", 1],
    [NEITHER, false, "refused", 2],
    [{ files: false, calls: true }, true, "unsandboxed", 1],
    [NEITHER, true, "unsandboxed", 2],
  ] as const;
  for (const [support, allowUnsandboxed, expected, missing] of rows) {
    const judged = judgeServerSandbox({ support, allowUnsandboxed });
    assert.deepEqual([judged.sandbox, judged.missing.length], [expected, missing]);
  }
});

Deno.test("sandboxWarning() reports missing parts with advice", () => {
  const refused = judgeServerSandbox({ support: NEITHER, allowUnsandboxed: false });
  assert.match(
    sandboxWarning(refused)!,
    /^Deployment servers are refused: .*Landlock.*seccomp.*--allow-unsandboxed-servers/,
  );
  assert.match(refusalOf(refused), /turned off.*Landlock.*seccomp.*--allow-unsandboxed-servers/);
  const open = judgeServerSandbox({ support: NEITHER, allowUnsandboxed: true });
  assert.match(sandboxWarning(open)!, /without a full sandbox.*read this machine.s files/);
  const support = { files: true, calls: true };
  assert.equal(sandboxWarning(judgeServerSandbox({ support, allowUnsandboxed: false })), undefined);
});

Deno.test("judgeNodeSandbox() gives advice if Node.js cannot run in namespaces", async () => {
  const support = { files: true, calls: true };
  const enforced = judgeServerSandbox({ support, allowUnsandboxed: false });
  const reason = "The system rejects unshare (error 1)";
  assert.deepEqual(
    await judgeNodeSandbox(enforced, () => Promise.resolve({ kind: "namespaces" })),
    { sandbox: "namespaces", reason: null, advice: null },
  );
  const kernel = await judgeNodeSandbox(
    enforced,
    () => Promise.resolve({ kind: "kernel", reason }),
  );
  assert.deepEqual([kernel.sandbox, kernel.reason], ["kernel", reason]);
  assert.match(kernel.advice!, /--security-opt seccomp=unconfined and --security-opt unmask=ALL/);
  const none = await judgeNodeSandbox(enforced, () => Promise.resolve({ kind: null, reason }));
  assert.deepEqual([none.sandbox, none.reason], ["refused", reason]);
  assert.match(none.advice!, /--cap-add SYS_PTRACE/);
});

Deno.test("judgeNodeSandbox() tests nothing if servers have no sandbox at all", async () => {
  for (const allowUnsandboxed of [false, true]) {
    const judged = judgeServerSandbox({ support: NEITHER, allowUnsandboxed });
    const { sandbox } = await judgeNodeSandbox(judged, () => assert.fail("It was tried"));
    assert.equal(sandbox, judged.sandbox);
  }
});
