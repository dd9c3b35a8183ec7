/**
 * Starts a platform that inherits an open file. The platform's servers and functions must not be
 * able to access that file or the runtime's own files.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { descriptorsOf, openForChildren, strayDescriptors } from "../helpers/descriptors.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const MANIFEST = {
  version: 1,
  layers: [
    { name: "files", target: "STATIC", directory: "." },
    { name: "app", target: "COMPUTE", directory: "server", entry: "server/entry.mjs" },
  ],
  routes: [
    { pattern: "^/api/", layer: "app", priority: 1 },
    { pattern: "^/.*$", layer: "files" },
  ],
};

const SERVER = `
const attempt = () => {
  const { Pipe } = process.binding("pipe_wrap");
  return Array.from({ length: 64 }, (_, number) => new Pipe(0).open(number)).join();
};
export default {
  fetch() {
    try {
      return Response.json({ opened: attempt() });
    } catch (error) {
      return Response.json({ pid: process.pid, code: error.code });
    }
  },
};`;

const FILES = {
  ".svc/manifest.json": JSON.stringify(MANIFEST),
  "server/entry.mjs": SERVER,
  "index.html": "home",
  "functions/hello.js": 'export default () => new Response("function");',
  "svc.rules.toml": `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "hello"
condition = { path = { type = "exact", value = "/hello" } }
action = { type = "pipeline", steps = [{ handle = "hello" }] }
`,
};

async function deploySite(box: Sandbox): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await Deno.mkdir(join(box.site, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(box.site, path), text);
  }
  await box.json(["init", "--name", "open", "--create"]);
  await box.json(["deploy", "--prod", "--skip-build"]);
}

/** Lists the child processes of a process. */
function childrenOf(parent: number): readonly number[] {
  return [...Deno.readDirSync(`/proc/${parent}/task`)].flatMap(({ name }) =>
    Deno.readTextFileSync(`/proc/${parent}/task/${name}/children`)
      .split(" ").filter((pid) => pid !== "").map(Number)
  );
}

Deno.test("servers and functions get none of the platform's inherited descriptors", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  await withSandbox(async (box) => {
    const secret = join(box.folder, "secret");
    await Deno.writeTextFile(secret, "secret");
    using _open = openForChildren(secret);
    const platform = await box.start();
    const inherited = [...descriptorsOf(platform.pid).values()];
    assert.ok(inherited.includes(secret), "the platform itself has the inherited file");
    await deploySite(box);
    assert.equal((await box.page("open.localhost", "/hello")).text, "function");
    const { pid, code } = JSON.parse((await box.page("open.localhost", "/api/x")).text);
    assert.equal(code, "ERR_ACCESS_DENIED");
    const children = childrenOf(platform.pid);
    assert.ok(children.includes(pid) && children.length >= 2, children.join());
    for (const child of children) {
      const command = Deno.readTextFileSync(`/proc/${child}/cmdline`);
      if (/process/.test(command)) assert.deepEqual(strayDescriptors(child), [], command);
      assert.ok(![...descriptorsOf(child).values()].includes(secret), command);
    }
  });
});
