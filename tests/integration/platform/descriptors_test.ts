/**
 * Processes that run project code must not have any of the platform's descriptors: neither those
 * that the platform has inherited, nor those that the runtime has opened for itself.
 */
import assert from "node:assert/strict";
import { computeServer, spawnServer, writeModules } from "../../helpers/compute_server.ts";
import { openForChildren, strayDescriptors, withOpenFile } from "../../helpers/descriptors.ts";
import { deployFunctions, invocation, spawnFunctions } from "../../helpers/function_host.ts";

const ignore = Deno.build.os !== "linux";

/**
 * A server that makes a runtime open files. The server uses modules, workers, in-memory databases
 * and compiled code.
 */
const BUSY = `
import { DatabaseSync } from "node:sqlite";
new DatabaseSync(":memory:").exec("create table a (b)");
await import("./other.mjs");
const worker = new Worker("data:text/javascript,postMessage(1)", { type: "module" });
await new Promise((resolve) => worker.onmessage = resolve);
export default { fetch: () => new Response(String(process.pid)) };
`;

async function secretFile(): Promise<string> {
  const path = await Deno.makeTempFile({ prefix: "svc-secret-" });
  await Deno.writeTextFile(path, "secret");
  return path;
}

Deno.test("a server's process has nothing open but its own sockets and output", {
  ignore,
}, async () => {
  const directory = await writeModules({
    "entry.mjs": BUSY,
    "other.mjs": "export default 1;",
  });
  const secret = await secretFile();
  using _open = openForChildren(secret);
  await using app = computeServer({ directory });
  const answer = await app.ask("/");
  assert.match(answer, /^200 \d+$/, JSON.stringify(app.logs));
  assert.deepEqual(strayDescriptors(Number(answer.slice(4))), []);
  await Deno.remove(secret);
});

Deno.test("a function process has nothing open but its own sockets and output", {
  ignore,
}, async () => {
  const secret = await secretFile();
  using _open = openForChildren(secret);
  await using deployment = await deployFunctions();
  const { host } = deployment;
  assert.deepEqual(await host.start(), []);
  await host.invoke(invocation("/answer"));
  assert.deepEqual(host.pids.flatMap(strayDescriptors), []);
  await Deno.remove(secret);
});

Deno.test("a process with an inherited open file does not load a server", { ignore }, async () => {
  const directory = await writeModules({
    "entry.mjs": 'console.log("loaded"); export default { fetch: () => new Response("ran") };',
  });
  const secret = await secretFile();
  await using app = computeServer({
    directory,
    spawn: async (folder, server) => withOpenFile(await spawnServer(folder, server), secret),
  });
  assert.equal(await app.ask("/"), "cannot_start");
  const logged = app.logs.map(({ message }) => message).join("\n");
  assert.match(
    logged,
    /has file descriptors that deployed code must not access: 9 \(.*svc-secret-/,
  );
  assert.doesNotMatch(logged, /loaded/);
  await Deno.remove(secret);
});

Deno.test("a process with an inherited open file does not load functions", { ignore }, async () => {
  const secret = await secretFile();
  await using deployment = await deployFunctions({
    functions: [{ name: "steps", source: 'console.log("loaded"); export default () => {};' }],
    spawn: (socketPath) => withOpenFile(spawnFunctions(socketPath), secret),
  });
  const result = await deployment.host.invoke(invocation("/answer"));
  assert.ok(result.type === "failed");
  const logged = deployment.log.map(({ message }) => message).join("\n");
  assert.match(
    logged,
    /has file descriptors that deployed code must not access: 9 \(.*svc-secret-/,
  );
  assert.doesNotMatch(logged, /loaded/);
  await Deno.remove(secret);
});
