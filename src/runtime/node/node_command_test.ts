import assert from "node:assert/strict";
import { nodeCommand } from "./node_command.ts";

const START = {
  directory: "/data/compute/1",
  entry: "server.js",
  port: 3000,
  host: "127.0.0.1",
  allowPrivate: false,
  peers: [],
  routes: [],
  hosts: [],
  allowUnsandboxed: false,
  tmpMb: 64,
  memoryMb: 256,
};

const VIEW = {
  node: "/node",
  directory: "/app",
  tmp: "/tmp",
  controlSocket: "/run/n",
  serverSocket: "/run/s",
  files: ["/run/preload.cjs"],
  programs: ["/run/bin"],
};

Deno.test("nodeCommand() gives a server a home folder, which its variables can override", () => {
  const { env } = nodeCommand({ ...START, env: { NAME: "Ada" } }, VIEW);
  assert.deepEqual(env, {
    NODE_ENV: "production",
    HOME: "/tmp",
    NAME: "Ada",
    PORT: "3000",
    HOST: "127.0.0.1",
  });
  assert.equal(nodeCommand({ ...START, env: { HOME: "/app" } }, VIEW).env.HOME, "/app");
});
