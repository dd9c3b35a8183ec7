import assert from "node:assert/strict";
import type { ProgramImage, ServerStart } from "../compute/wire.ts";
import type { NodeView } from "../node/sandbox/types.ts";
import { programCommand } from "./program_command.ts";

const VIEW = { tmp: "/tmp" } as NodeView;

const IMAGE: ProgramImage = {
  directory: "image",
  args: ["/usr/bin/node", "main.js"],
  env: { PATH: "/usr/bin", HOME: "/root", A: "image", PORT: "8080", GOMEMLIMIT: "1GiB" },
  workdir: "/app",
};

const start = (program: Partial<ServerStart["program"]>, env = {}) =>
  programCommand({
    env,
    port: 8080,
    host: "127.0.0.1",
    memoryMb: 256,
    program: { toolchains: [], path: [], ...program },
  } as ServerStart, VIEW);

Deno.test("programCommand() starts an image with the image's own command and variables", () => {
  const { program, args, env } = start({ image: IMAGE }, { A: "project", PORT: "1" });
  assert.deepEqual([program, args], ["/usr/bin/node", ["main.js"]]);
  assert.deepEqual(env, {
    PATH: "/usr/bin",
    HOME: "/tmp",
    USER: "svc",
    A: "project",
    PORT: "8080",
    HOST: "127.0.0.1",
    GOMEMLIMIT: "256MiB",
    SVC_MEMORY_MB: "256",
  });
});

Deno.test("programCommand() starts the command from svc.toml in an image's shell", () => {
  const { program, args, env } = start({ image: IMAGE, command: "node other.js" });
  assert.deepEqual([program, args], ["/bin/sh", ["-c", "node other.js"]]);
  assert.equal(env.PATH, "/usr/bin");
});

Deno.test("programCommand() needs a command if there is no image", () => {
  assert.throws(() => start({}), TypeError);
  assert.equal(start({ command: "./a" }).env.LANG, "C.UTF-8");
});
