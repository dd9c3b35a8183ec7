import assert from "node:assert/strict";
import { join } from "node:path";
import { findFramework, type Launch } from "../manifest/mod.ts";
import { until } from "../lib/_test_until.ts";
import { unusedPort } from "../lib/unused_port.ts";
import { inTestFolder } from "../lib/_test_folder.ts";
import { launchFiles } from "./server/launch_files.ts";

/** Returns how a framework launches an output with these files. */
async function launchOf(id: string, files: Readonly<Record<string, string>>): Promise<Launch> {
  const output = {
    directory: "dist",
    paths: Object.keys(files),
    readText: (path: string) => Promise.resolve(files[path]),
    project: { readText: () => Promise.resolve(undefined), exists: () => Promise.resolve(false) },
  };
  const found = await findFramework(id)!.server!.find(output, undefined);
  assert.ok(found.type === "server", JSON.stringify(found));
  return found.launch;
}

/** Starts an entry on Node as its framework would, and sends one request. */
async function ask(launch: Launch, entry: string): Promise<string> {
  return await inTestFolder(async (root) => {
    await Deno.writeTextFile(join(root, "entry.mjs"), entry);
    const started = launchFiles("entry.mjs", launch);
    for (const { path, content } of started.contents) {
      assert.ok(typeof content !== "string");
      await Deno.writeFile(join(root, path), content);
    }
    const port = unusedPort();
    const child = new Deno.Command("node", {
      args: [join(root, started.entry)],
      env: { PORT: String(port), HOST: "127.0.0.1" },
      stdout: "null",
      stderr: "inherit",
    }).spawn();
    try {
      return await answerOf(port);
    } finally {
      child.kill("SIGKILL");
      await child.status;
    }
  });
}

/** Retries until the server listens. */
const answerOf = (port: number): Promise<string> =>
  until(
    () =>
      fetch(`http://127.0.0.1:${port}/`, {
        headers: { "x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.7" },
      }).then((response) => response.text(), () => ""),
    (text) => text !== "",
  );

const SAY_SOCKET =
  "(req, res) => res.end(`${req.socket.encrypted} ${req.socket.remoteAddress} ${process.env.X}`)";

const ROWS: Readonly<Record<string, readonly [() => Promise<Launch>, string, string]>> = {
  "Astro's handler, which does not start on its own": [
    () => launchOf("astro", { "server/entry.mjs": "" }),
    `process.env.X = process.env.ASTRO_NODE_AUTOSTART; export const handler = ${SAY_SOCKET};`,
    "true 203.0.113.7 disabled",
  ],
  "Nitro's middleware": [
    () =>
      launchOf("nitro", { "nitro.json": '{"preset":"node-middleware"}', "server/index.mjs": "" }),
    `process.env.X = "nitro"; export const middleware = ${SAY_SOCKET};`,
    "true 203.0.113.7 nitro",
  ],
  "a Nitro server that listens on its own": [
    () => launchOf("nitro", { "nitro.json": '{"preset":"node-server"}', "server/index.mjs": "" }),
    `import { createServer } from "node:http"; process.env.X = "own";
    createServer(${SAY_SOCKET}).listen(Number(process.env.PORT), process.env.HOST);`,
    "true 203.0.113.7 own",
  ],
  "SvelteKit, configured through variables": [
    () => launchOf("sveltekit", { "index.js": "", "server/index.js": "" }),
    `import { createServer } from "node:http";
    const { PROTOCOL_HEADER, HOST_HEADER, ADDRESS_HEADER } = process.env;
    const names = [PROTOCOL_HEADER, HOST_HEADER, ADDRESS_HEADER].join(" ");
    createServer((_, res) => res.end(names)).listen(Number(process.env.PORT));`,
    "x-forwarded-proto x-forwarded-host x-forwarded-for",
  ],
};

for (const [name, [launch, entry, expected]] of Object.entries(ROWS)) {
  Deno.test(`Launch serves ${name}`, async () => {
    assert.equal(await ask(await launch(), entry), expected);
  });
}
