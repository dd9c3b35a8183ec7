import assert from "node:assert/strict";
import { judgeNodeSandbox, judgeServerSandbox } from "./sandboxes.ts";

Deno.test("judgeServerSandbox() reports that servers are refused, and gives advice", () => {
  const complete = judgeServerSandbox({ files: true, calls: true });
  assert.ok(complete.every(({ state, advice }) => state === "ok" && advice === undefined));
  const [network, files] = judgeServerSandbox({ files: false, calls: false });
  for (const point of [network!, files!]) {
    assert.equal(point.state, "warn");
    assert.match(point.found, /^servers of deployments are refused: /);
    assert.match(point.advice!, /--allow-unsandboxed-servers/);
  }
  const [open, closed] = judgeServerSandbox({ files: true, calls: false });
  assert.deepEqual([open!.state, closed!.state], ["warn", "ok"]);
});

Deno.test("judgeNodeSandbox() reports that Node has no namespaces, with advice", () => {
  const { state, advice } = judgeNodeSandbox({ kind: "namespaces" });
  assert.deepEqual([state, advice], ["ok", undefined]);
  const reason = "The system rejects unshare (error 1)";
  const kernel = judgeNodeSandbox({ kind: "kernel", reason });
  assert.equal(kernel.state, "warn");
  assert.match(kernel.found, /without namespaces.*: The system rejects unshare/);
  assert.match(kernel.advice!, /--security-opt seccomp=unconfined and --security-opt unmask=ALL/);
  const none = judgeNodeSandbox({ kind: null, reason });
  assert.equal(none.state, "warn");
  assert.match(none.found, /^servers on Node are refused: /);
  assert.match(none.advice!, /--cap-add SYS_PTRACE/);
});
