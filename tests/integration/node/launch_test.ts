/**
 * A real Node in its sandbox.
 */
import assert from "node:assert/strict";
import { launchServer, NODE } from "../../helpers/node_launch.ts";

/** Root may make namespaces wherever these tests run. */
const BEST = Deno.uid() === 0 ? "namespaces" : "kernel";

const ignore = NODE === undefined;

Deno.test({
  name: "Node answers on its Unix socket, and sees nothing of the platform's paths",
  ignore,
  async fn() {
    await using server = await launchServer(`
const answer = () => JSON.stringify([process.execPath, process.cwd(), process.argv[1]]);
`);
    assert.deepEqual(server.node.sandbox, { kind: BEST, files: true, calls: true });
    const { view } = server;
    assert.deepEqual(JSON.parse(await server.ask("/")), [
      view.node,
      view.directory,
      `${view.directory}/server.mjs`,
    ]);
  },
});
