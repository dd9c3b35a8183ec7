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

Deno.test("planSandbox() hides the platform's paths in namespaces", () => {
  const view = planSandbox({ ...REQUEST, kind: "namespaces" });
  assert.doesNotMatch(JSON.stringify(view), /data/);
  assert.equal(new Set(view.files).size, 2, "files with the same name stay separate");
});

Deno.test("planSandbox() does not move files without namespaces", () => {
  for (const kind of ["kernel", "open"] as const) {
    const { node, directory, files, tmp } = planSandbox({ ...REQUEST, kind });
    assert.deepEqual(
      [node, directory, files, tmp],
      [REQUEST.node, REQUEST.directory, REQUEST.files, "/data/run/p/tmp"],
    );
  }
});

Deno.test("planSandbox() gives sockets nonexistent paths if the kernel reports their use", () => {
  const named = (kind: NodeRequest["kind"]) => {
    const { controlSocket, serverSocket } = planSandbox({ ...REQUEST, kind });
    return [controlSocket, serverSocket];
  };
  assert.deepEqual(named("kernel"), named("namespaces"));
  assert.doesNotMatch(named("kernel").join(), /data/);
  assert.deepEqual(named("open"), ["/data/run/p/n", "/data/run/p/s"]);
});
