/** Runs `svc dev` in a terminal: presses keys, crashes the server, and closes the terminal. */
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../src/lib/_test_until.ts";
import { isRunning } from "../../helpers/dev_program.ts";
import { startOnTerminal, type Terminal } from "../../helpers/terminal.ts";
import { testNeeding } from "../../helpers/empty_root.ts";

const test = testNeeding("sh", "node");

const SERVER = `
import { createServer } from "node:http";
createServer((request, response) => {
  if (request.url === "/crash") throw new Error("Aground");
  response.end(String(process.pid));
}).listen(process.env.PORT, () => console.log("up"));
`;

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "old-pages"
condition = { path = { type = "exact", value = "/old" } }
action = { type = "redirect", target = "/new", statusCode = 301 }
`;

interface Opened {
  readonly terminal: Terminal;
  readonly folder: string;
  readonly url: string;
}

async function withTerminal(test: (opened: Opened) => Promise<void>): Promise<void> {
  await inTestFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "server.mjs"), SERVER);
    await Deno.writeTextFile(join(folder, "svc.rules.toml"), RULES);
    const browser = join(folder, "browser");
    await Deno.writeTextFile(browser, `#!/bin/sh\necho "$1" > ${folder}/opened\n`);
    await Deno.chmod(browser, 0o755);
    const argv = ["dev", "--port", "0", "--command", "node server.mjs"];
    const terminal = startOnTerminal(argv, { cwd: folder, env: { BROWSER: browser } });
    try {
      const [, url] = await terminal.shows(/ at (http:\/\/localhost:\d+)/);
      await terminal.shows(/r restart {3}o open {3}e explain last request {3}c clear {3}q quit/);
      await test({ terminal, folder, url: url! });
    } finally {
      await terminal.hangUp();
    }
  });
}

async function read(url: string): Promise<string> {
  return await (await fetch(url, { redirect: "manual" })).text();
}

test("dev responds to keys pressed in its terminal", () =>
  withTerminal(async ({ terminal, folder, url }) => {
    const nothing = terminal.screen().length;
    await terminal.type("e");
    await terminal.shows(/Nothing to explain/, nothing);

    await read(`${url}/old`);
    await terminal.shows(/301 GET \/old .*rules: old-pages/);
    const explained = terminal.screen().length;
    await terminal.type("e");
    await terminal.shows(/old-pages[^]*\/new/, explained);

    await terminal.type("o");
    const opened = () => Deno.readTextFile(join(folder, "opened")).catch(() => "");
    await until(opened, (text) => text === `${url}\n`);

    const before = await read(`${url}/`);
    const restarted = terminal.screen().length;
    await terminal.type("r");
    await terminal.shows(/Dev server on port \d+/, restarted);
    const after = await read(`${url}/`);
    assert.notEqual(after, before);
    assert.ok(!isRunning(Number(before)));

    const cleared = terminal.screen().length;
    await terminal.type("c");
    await terminal.shows(/\[2J/, cleared);
    assert.match(await read(`${url}/__svc`), /No requests yet/);

    await terminal.type("q");
    assert.equal(await terminal.ended, 0, terminal.screen());
    assert.ok(!isRunning(Number(after)));
  }));

test("dev shows why its server crashed, and restarts it when a key is pressed", () =>
  withTerminal(async ({ terminal, url }) => {
    await read(`${url}/crash`);
    await terminal.shows(/│ .*Error: Aground/);
    await terminal.shows(/The dev server exited with code 1: node server\.mjs/);
    await terminal.shows(/Press r to start it again/);
    assert.match(await read(`${url}/`), /The dev server exited with code 1/);
    const restarted = terminal.screen().length;
    await terminal.type("r");
    await terminal.shows(/Dev server on port \d+/, restarted);
    assert.match(await read(`${url}/`), /^\d+$/);
    await terminal.type("\x03");
    assert.equal(await terminal.ended, 0, terminal.screen());
  }));

test("dev and its server exit when the terminal closes", () =>
  withTerminal(async ({ terminal, url }) => {
    const pid = Number(await read(`${url}/`));
    assert.ok(isRunning(pid));
    await terminal.hangUp();
    await until(() => !isRunning(pid));
    await until(() => fetch(url).then(() => false, () => true));
  }));
