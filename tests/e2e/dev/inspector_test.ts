/** Uses the inspectors for a dev server and for functions over the DevTools protocol. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Served, startServing } from "../../helpers/dev_program.ts";
import { openInspector, type Script } from "../../helpers/devtools.ts";
import { testNeeding } from "../../helpers/empty_root.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const test = testNeeding("sh", "node");

const SERVER = `const { createServer } = require("node:http");
function answer(request, response) {
  const seen = request.url;
  response.end(seen);
}
createServer(answer).listen(process.env.PORT);
`;
/** The line number of `const seen`, counted from 0. */
const LINE = 2;

const FUNCTION = `/** Greets. */
export default function greet(request: Request): Response {
  const name: string = new URL(request.url).pathname;
  return new Response("ahoy " + name);
}
`;

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "greet"
condition = { path = { type = "prefix", value = "/greet/" } }
action = { type = "pipeline", steps = [{ handle = "greet" }] }
`;

const GREETING = {
  "functions/greet.ts": FUNCTION,
  "svc.rules.toml": RULES,
  "index.html": "<p>Harbour</p>",
};
const isGreeting = ({ sourceMapURL }: Script): boolean => sourceMapURL.includes("greet.ts");

async function withProject(
  files: Readonly<Record<string, string>>,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (folder) => {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(join(folder, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(folder, path), text);
    }
    await test(folder);
  });
}

async function withDev(
  argv: readonly string[],
  folder: string,
  test: (dev: Served) => Promise<void>,
): Promise<void> {
  const dev = await startServing(["dev", "--port", "0", ...argv], { cwd: folder });
  try {
    await test(dev);
  } finally {
    assert.equal(await dev.end(), 0, dev.lines.join("\n"));
  }
}

const read = async ({ port }: Served, path: string): Promise<string> =>
  await (await fetch(`http://127.0.0.1:${port}${path}`)).text();

test("dev --inspect stops the server at a breakpoint", () =>
  withProject(
    { "server.cjs": SERVER },
    (folder) =>
      withDev(["--inspect", "--command", "node server.cjs"], folder, async (dev) => {
        using inspector = await openInspector(String(dev.told.inspector));
        const { main } = inspector;
        await main.call("Debugger.enable");
        const urlRegex = "server\\.cjs$";
        await main.call("Debugger.setBreakpointByUrl", { lineNumber: LINE, urlRegex });
        const answered = read(dev, "/boat");
        const frame = await main.paused();
        assert.equal(frame.functionName, "answer");
        await main.call("Debugger.resume");
        assert.equal(await answered, "/boat");
      }),
  ));

/** Returns whether a promise is still pending after a moment. */
const waits = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => false), delay(300, true)]);

test("dev --inspect-brk stops the server before its first line", () =>
  withProject({ "server.cjs": SERVER }, async (folder) => {
    const waiting = Promise.withResolvers<string>();
    const starting = startServing(
      ["dev", "--port", "0", "--inspect-brk", "--command", "node server.cjs"],
      {
        cwd: folder,
        heard(message) {
          const [, address] = /Waiting for a debugger for the server on (\S+)/.exec(message) ?? [];
          if (address !== undefined) waiting.resolve(address);
        },
      },
    );
    const address = await Promise.race([waiting.promise, starting]);
    assert.ok(typeof address === "string");
    assert.ok(await waits(starting));
    using inspector = await openInspector(address);
    const { main } = inspector;
    await main.call("Runtime.enable");
    await main.call("Debugger.enable");
    await main.call("Runtime.runIfWaitingForDebugger");
    const frame = await main.paused();
    assert.equal(frame.location.lineNumber, 0);
    await main.call("Debugger.resume");
    const dev = await starting;
    try {
      assert.equal(await read(dev, "/boat"), "/boat");
    } finally {
      assert.equal(await dev.end(), 0, dev.lines.join("\n"));
    }
  }));

Deno.test("dev --inspect-brk loads functions once a debugger is attached", () =>
  withProject(
    GREETING,
    (folder) =>
      withDev(["--inspect-brk"], folder, async (dev) => {
        const answered = read(dev, "/greet/kestrel");
        assert.ok(await waits(answered));
        using inspector = await openInspector(String(dev.told.functionsInspector));
        await inspector.main.call("Runtime.enable");
        await inspector.main.call("Runtime.runIfWaitingForDebugger");
        assert.equal(await answered, "ahoy /greet/kestrel");
      }),
  ));

Deno.test("dev --inspect stops a function at a breakpoint and shows its source file", () =>
  withProject(
    GREETING,
    (folder) =>
      withDev(["--inspect"], folder, async (dev) => {
        using inspector = await openInspector(String(dev.told.functionsInspector));
        const worker = await inspector.worker();
        await worker.call("Debugger.enable");
        const { scriptId, sourceMapURL } = await worker.script(isGreeting);
        const map = JSON.parse(decodeURIComponent(sourceMapURL.split(",")[1]!));
        assert.deepEqual(map.sourcesContent, [FUNCTION]);
        assert.equal(map.sources[0], pathToFileURL(join(folder, "functions/greet.ts")).href);
        const { scriptSource } = await worker.call("Debugger.getScriptSource", { scriptId });
        const lines = String(scriptSource).split("\n");
        const lineNumber = lines.findIndex((line) => line.includes("pathname"));
        await worker.call("Debugger.setBreakpoint", { location: { scriptId, lineNumber } });
        const answered = read(dev, "/greet/kestrel");
        const frame = await worker.paused();
        assert.deepEqual([frame.functionName, frame.location.lineNumber], ["greet", lineNumber]);
        await worker.call("Debugger.resume");
        assert.equal(await answered, "ahoy /greet/kestrel");
      }),
  ));
