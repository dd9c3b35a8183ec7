import assert from "node:assert/strict";
import { judgeServerSandbox } from "./sandboxes.ts";

Deno.test("judgeServerSandbox() says that servers are refused, and what to do", () => {
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
