import assert from "node:assert/strict";
import { judgeServerSandbox, refusalOf, sandboxWarning } from "./server_sandbox.ts";

const NEITHER = { files: false, calls: false };

Deno.test("judgeServerSandbox() refuses servers where any part is missing", () => {
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

Deno.test("sandboxWarning() names what is missing and what to do", () => {
  const refused = judgeServerSandbox({ support: NEITHER, allowUnsandboxed: false });
  assert.match(
    sandboxWarning(refused)!,
    /^Servers of deployments are refused: .*Landlock.*seccomp.*--allow-unsandboxed-servers/,
  );
  assert.match(refusalOf(refused), /switched off.*Landlock.*seccomp.*--allow-unsandboxed-servers/);
  const open = judgeServerSandbox({ support: NEITHER, allowUnsandboxed: true });
  assert.match(sandboxWarning(open)!, /without a whole sandbox.*read files/);
  const support = { files: true, calls: true };
  assert.equal(sandboxWarning(judgeServerSandbox({ support, allowUnsandboxed: false })), undefined);
});
