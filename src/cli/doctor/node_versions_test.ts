import assert from "node:assert/strict";
import { makeTestFolder } from "../../lib/_test_folder.ts";
import { examineNode, judgeNode } from "./node_versions.ts";

Deno.test("judgeNode() wants Node, and npm for the versions that it is not", () => {
  assert.equal(judgeNode("24.1.0", true).state, "ok");
  assert.match(judgeNode("24.1.0", false).advice!, /^Install npm/);
  assert.match(judgeNode(undefined, false).found, /servers on Node cannot start/);
});

Deno.test("examineNode() looks on the search path that it is given", async () => {
  const found = await examineNode(Deno.env.get("PATH") ?? "");
  assert.match(found.found, /^Node \d+\.\d+\.\d+ and npm/);
  assert.equal((await examineNode(await makeTestFolder("svc-doctor-node-"))).state, "warn");
});
