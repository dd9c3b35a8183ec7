import assert from "node:assert/strict";
import { makeTestFolder } from "../../lib/_test_folder.ts";
import { examineNode, judgeNode } from "./node_versions.ts";

Deno.test("judgeNode() requires Node, and npm to install other versions", () => {
  assert.equal(judgeNode("24.1.0", true).state, "ok");
  assert.match(judgeNode("24.1.0", false).advice!, /^Install npm/);
  assert.match(judgeNode(undefined, false).found, /servers on Node cannot start/);
});

Deno.test("examineNode() searches the given path", async () => {
  const found = await examineNode(Deno.env.get("PATH") ?? "");
  assert.match(found.found, /^Node \d+\.\d+\.\d+ and npm/);
  assert.equal((await examineNode(await makeTestFolder("svc-doctor-node-"))).state, "warn");
});
