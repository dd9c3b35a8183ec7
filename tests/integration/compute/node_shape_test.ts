/** Tests that a server that uses Node's modules sees the same environment on both engines. */
import assert from "node:assert/strict";
import { computeServer, onEachEngine, writeModules } from "../../helpers/compute_server.ts";

const directory = await writeModules({
  "part.mjs": "export default 1; export const named = 2;",
  "entry.mjs": `
import { createServer } from "node:http";
import fs from "node:fs";
import os, { networkInterfaces, totalmem, uptime } from "node:os";
const idle = setInterval(() => {}, 60_000).unref();
const looks = {
  timers: () => [typeof idle, idle.hasRef(), typeof setTimeout(() => {}, 1).ref().refresh()],
  async cleared() {
    let calls = 0;
    clearTimeout(setTimeout(() => calls++, 1));
    clearTimeout(+setTimeout(() => calls++, 1));
    clearInterval(setInterval(() => calls++, 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    return calls;
  },
  immediate: () => new Promise((resolve) => setImmediate(resolve, "now")),
  async namespace() {
    const part = await import("./part.mjs");
    return [part[Symbol.toStringTag], Object.keys(part)];
  },
  user: () => [process.getuid(), process.geteuid(), process.getgid(), process.getegid()]
    .map((id) => typeof id),
  machine: () => [totalmem() > 0, os.totalmem() > 0, uptime() > 0],
  interfaces: () => [networkInterfaces(), os.networkInterfaces()].map((all) => Object.keys(all)),
  temporary() {
    fs.writeFileSync(os.tmpdir() + "/mine", "kept");
    return fs.readFileSync(os.tmpdir() + "/mine", "utf8");
  },
};
createServer(async (request, response) => {
  response.writeProcessing();
  response.setTimeout(60_000);
  const seen = { host: request.headersDistinct.host, trailers: request.trailers };
  for (const [name, look] of Object.entries(looks)) seen[name] = await look();
  response.end(JSON.stringify(seen));
}).listen(process.env.PORT);
`,
});

onEachEngine("a server finds Node's API and its view of the machine", async ({ serve }) => {
  await using app = serve({ directory });
  assert.deepEqual(JSON.parse((await app.ask("/")).replace(/^200 /, "")), {
    host: ["app.example"],
    trailers: {},
    timers: ["object", false, "object"],
    cleared: 0,
    immediate: "now",
    namespace: ["Module", ["default", "named"]],
    user: ["number", "number", "number", "number"],
    machine: [true, true, true],
    interfaces: [["lo"], ["lo"]],
    temporary: "kept",
  });
});

Deno.test("a Deno server's user has a name", async () => {
  const named = await writeModules({
    "entry.mjs": `import os from "node:os";
export default { fetch: () => Response.json(os.userInfo().username) };`,
  });
  await using app = computeServer({ directory: named });
  assert.equal(await app.ask("/"), '200 "svc"');
});
