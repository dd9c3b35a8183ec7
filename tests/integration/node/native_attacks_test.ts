/** Native code in Node has no more access than the server itself. */
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { fileURLToPath } from "node:url";
import type { NodeSandboxKind, NodeView } from "../../../src/runtime/node/sandbox/types.ts";
import { computeServer, writeModules } from "../../helpers/compute_server.ts";
import { launchServer, NODE } from "../../helpers/node_launch.ts";
import { unusedPort } from "../../../src/lib/unused_port.ts";

const SOURCE = fileURLToPath(
  new URL("../../../fixtures/node/native_attacks.c", import.meta.url),
);

async function compile(folder: string): Promise<string | undefined> {
  const out = `${folder}/attack.node`;
  const gcc = new Deno.Command("gcc", {
    args: ["-shared", "-fPIC", "-pthread", "-w", "-o", out, SOURCE],
  });
  try {
    const { success, stderr } = await gcc.output();
    assert.ok(success, new TextDecoder().decode(stderr));
    return out;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

const SERVER = `
import { readFileSync } from "node:fs";
try {
  process.dlopen({ exports: {} }, process.env.ATTACK_APP + "/attack.node");
} catch { /* it is not a Node module: its attacks ran when it was loaded */ }
const answer = () => readFileSync(process.env.ATTACK_RESULTS, "utf8");
`;

/** Stands in for a platform: listens on TCP, UDP and Unix sockets, and records connections. */
async function attacked(folder: string) {
  const arrived: string[] = [];
  const listeners = [
    Deno.listen({ hostname: "127.0.0.1", port: 0 }),
    Deno.listen({ transport: "unix", path: `${folder}/platform.sock` }),
  ] as const;
  for (const listener of listeners) {
    void (async () => {
      for await (const conn of listener) {
        arrived.push(listener.addr.transport);
        conn.close();
      }
    })().catch(() => {});
  }
  const udp = createSocket("udp4");
  udp.on("message", () => arrived.push("udp"));
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  // Unlike Deno, Node can listen on abstract socket names.
  const abstract = new Deno.Command(NODE!, {
    args: [
      "-e",
      'require("net").createServer().listen("\\0svc-node-attack", () => console.log("listening"))',
    ],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = abstract.stdout.getReader();
  await reader.read();
  return {
    arrived,
    port: (listeners[0].addr as Deno.NetAddr).port,
    udpPort: udp.address().port,
    socket: `${folder}/platform.sock`,
    async [Symbol.asyncDispose]() {
      for (const listener of listeners) listener.close();
      udp.close();
      await reader.cancel();
      abstract.kill("SIGKILL");
      await abstract.status;
    },
  };
}

for (const kind of ["namespaces", "kernel"] satisfies NodeSandboxKind[]) {
  Deno.test({
    name: `native code in Node reaches nothing outside the sandbox "${kind}"`,
    ignore: NODE === undefined || (kind === "namespaces" && Deno.uid() !== 0),
    async fn(t) {
      await inTestFolder(async (folder) => {
        const library = await compile(folder);
        await t.step({
          name: "with a compiler",
          ignore: library === undefined,
          fn: () => attack(kind, folder, library!),
        });
      });
    },
  });
}

async function attack(kind: NodeSandboxKind, folder: string, library: string): Promise<void> {
  await using platform = await attacked(folder);
  await Deno.mkdir(`${folder}/other`);
  for (const path of ["secret", "other/entry.mjs"]) {
    await Deno.writeTextFile(`${folder}/${path}`, "svc_secret");
    await Deno.chmod(`${folder}/${path}`, 0o644);
  }
  const env = (view: NodeView): Record<string, string> => ({
    ATTACK_APP: view.directory,
    ATTACK_NODE: view.node,
    ATTACK_RESULTS: `${view.tmp}/results`,
    ATTACK_PARENT: String(Deno.pid),
    ATTACK_UID: String(Deno.uid()),
    ATTACK_SECRET: `${folder}/secret`,
    ATTACK_OTHER: `${folder}/other/entry.mjs`,
    ATTACK_PORT: String(platform.port),
    ATTACK_UDP_PORT: String(platform.udpPort),
    ATTACK_SOCKET: platform.socket,
    ATTACK_FREE_PORT: port,
  });
  const port = String(unusedPort());
  const deployed = { "attack.node": await Deno.readFile(library) };
  await using server = await launchServer(SERVER, { env, deployed, only: kind });
  assert.equal(server.node.sandbox.kind, kind);
  const lines = (await server.ask("/")).trim().split("\n");
  assert.equal(lines.at(-1), "done done", "all attempts have been made");
  assert.ok(lines.length > 90, `${lines.length} attempts`);
  assert.deepEqual(lines.filter((line) => line.endsWith(" escaped")), []);
  assert.deepEqual(platform.arrived, []);
  assert.equal(await Deno.readTextFile(`${folder}/secret`), "svc_secret");
  assert.equal((await Deno.stat(`${folder}/secret`)).mode! & 0o777, 0o644);
}

/**
 * A server for the compiled program, with the same attacks. The server sets the attacks' variables
 * itself.
 */
const ENTRY = `
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
Object.assign(process.env, {
  ATTACK_APP: process.cwd(),
  ATTACK_NODE: process.execPath,
  ATTACK_RESULTS: tmpdir() + "/results",
});
try {
  process.dlopen({ exports: {} }, process.cwd() + "/attack.node");
} catch { /* it is not a Node module: its attacks ran when it was loaded */ }
createServer((_request, response) => response.end(readFileSync(process.env.ATTACK_RESULTS)))
  .listen(process.env.PORT);
`;

Deno.test({
  name: "native code reaches nothing in a server run by the compiled program",
  ignore: NODE === undefined,
  async fn(t) {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-native-" }));
    const library = await compile(folder);
    await t.step({
      name: "with a compiler",
      ignore: library === undefined,
      fn: () => attackProgram(folder, library!),
    });
    await Deno.remove(folder, { recursive: true });
  },
});

async function attackProgram(folder: string, library: string): Promise<void> {
  await using platform = await attacked(folder);
  await Deno.writeTextFile(`${folder}/secret`, "svc_secret");
  const directory = await writeModules({ "entry.mjs": ENTRY });
  await Deno.copyFile(library, `${directory}/attack.node`);
  await using server = computeServer({
    engine: "node",
    directory,
    env: {
      ATTACK_PARENT: String(Deno.pid),
      ATTACK_UID: String(Deno.uid()),
      ATTACK_SECRET: `${folder}/secret`,
      ATTACK_OTHER: `${folder}/secret`,
      ATTACK_PORT: String(platform.port),
      ATTACK_UDP_PORT: String(platform.udpPort),
      ATTACK_SOCKET: platform.socket,
      ATTACK_FREE_PORT: String(unusedPort()),
    },
    limits: { timeoutMs: 60_000, startMs: 60_000 },
  });
  const lines = (await server.ask("/")).replace("200 ", "").trim().split("\n");
  assert.equal(lines.at(-1), "done done", JSON.stringify(server.logs));
  assert.deepEqual(lines.filter((line) => line.endsWith(" escaped")), []);
  assert.deepEqual(platform.arrived, []);
}
