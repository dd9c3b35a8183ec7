import assert from "node:assert/strict";
import { planSandbox } from "./plan_sandbox.ts";
import type { NodeRequest } from "./types.ts";

const REQUEST: Omit<NodeRequest, "kind"> = {
  node: "/data/runtimes/node-24/bin/node",
  directory: "/data/compute/dpl",
  folder: "/data/run/p",
  controlSocket: "n",
  serverSocket: "s",
  files: ["/data/program/preload.cjs", "/data/other/preload.cjs"],
};

Deno.test("planSandbox() shows nothing of the platform's paths in namespaces", () => {
  const view = planSandbox({ ...REQUEST, kind: "namespaces" });
  assert.doesNotMatch(JSON.stringify(view), /data/);
  assert.equal(new Set(view.files).size, 2, "files of one name stay apart");
});

Deno.test("planSandbox() leaves files where they are without namespaces", () => {
  for (const kind of ["kernel", "open"] as const) {
    const { node, directory, files, tmp } = planSandbox({ ...REQUEST, kind });
    assert.deepEqual(
      [node, directory, files, tmp],
      [REQUEST.node, REQUEST.directory, REQUEST.files, "/data/run/p/tmp"],
    );
  }
});

Deno.test("planSandbox() names sockets by paths that lead nowhere, if the kernel asks", () => {
  const named = (kind: NodeRequest["kind"]) => {
    const { controlSocket, serverSocket } = planSandbox({ ...REQUEST, kind });
    return [controlSocket, serverSocket];
  };
  assert.deepEqual(named("kernel"), named("namespaces"));
  assert.doesNotMatch(named("kernel").join(), /data/);
  assert.deepEqual(named("open"), ["/data/run/p/n", "/data/run/p/s"]);
});
