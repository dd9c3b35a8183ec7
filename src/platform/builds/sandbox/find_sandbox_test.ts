import assert from "node:assert/strict";
import { endUsers } from "./sandbox.ts";
import { findSandbox, type ProbeOptions, SandboxUndecidedError } from "./find_sandbox.ts";

const OPTIONS: ProbeOptions = {
  folder: "/var/tmp",
  program: { command: ["/bin/echo"], needs: [], env: {} },
  uid: 62_346,
  hidden: [],
  open: false,
};

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "findSandbox() retries a slow sandbox, and never uses a weaker one instead",
  ignore,
  async fn() {
    const best = await findSandbox(OPTIONS);
    assert.equal(await findSandbox({ ...OPTIONS, patienceMs: [0, 60_000] }), best);
  },
});

Deno.test({
  name: "findSandbox() distinguishes a slow sandbox from one that does not work",
  ignore,
  async fn() {
    const late = { ...OPTIONS, patienceMs: [0, 0] };
    await assert.rejects(findSandbox(late), (error: Error) => {
      assert.ok(error instanceof SandboxUndecidedError);
      assert.match(error.message, /too busy/);
      return true;
    });
    await assert.rejects(findSandbox({ ...late, open: true }), SandboxUndecidedError);
    const broken = { ...OPTIONS, program: { ...OPTIONS.program, command: ["/nowhere"] } };
    assert.equal(await findSandbox(broken), undefined);
  },
});

Deno.test({
  name: "findSandbox() does not use build users, whose processes another program can stop",
  ignore: ignore || Deno.uid() !== 0,
  async fn() {
    const best = await findSandbox(OPTIONS);
    const script = "sleep 0.5; echo svc-probe";
    const slow = { ...OPTIONS.program, command: ["/bin/sh", "-c", script] };
    let isDone = false;
    const found = findSandbox({ ...OPTIONS, program: slow }).finally(() => isDone = true);
    while (!isDone) {
      await endUsers(OPTIONS.uid, OPTIONS.uid + 50);
      await new Promise((resolve) => setTimeout(resolve));
    }
    assert.equal(await found, best);
  },
});
