/**
 * Starts Node in the sandbox that the argument specifies, prints Node's process ID, and continues
 * to run.
 */
import type { NodeSandboxKind } from "../../src/runtime/node/sandbox/types.ts";
import { launchServer } from "./node_launch.ts";

const server = await launchServer("const answer = () => 'here';", {
  only: Deno.args[0] as NodeSandboxKind,
});
Deno.stdout.writeSync(new TextEncoder().encode(`${server.node.pid}\n`));
await server.node.ended;
