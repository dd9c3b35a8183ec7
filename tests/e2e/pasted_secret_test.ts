/**
 * If a secret with several lines is pasted at a prompt, all of its lines must be part of the value.
 */
import assert from "node:assert/strict";
import { needs } from "../helpers/empty_root.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { startOnTerminal, type Terminal } from "../helpers/terminal.ts";

const LINES = Array.from({ length: 26 }, (_, index) => `${index}`.padStart(64, "MIIEvQIBADAN"));
const PEM = ["-----BEGIN PRIVATE KEY-----", ...LINES, "-----END PRIVATE KEY-----"].join("\n");
/** The text as a terminal sends it, with Enter for each line break. */
const KEYS = PEM.replaceAll("\n", "\r");

const PASTES: Readonly<Record<string, (terminal: Terminal) => Promise<void>>> = {
  "a terminal that marks pastes": async (terminal) => {
    await terminal.type(`\x1b[200~${KEYS}\r\x1b[201~`);
    await terminal.type("\r");
  },
  "a terminal that does not": (terminal) => terminal.type(`${KEYS}\r`),
};

async function pasteAndRead(box: Sandbox, env: Record<string, string>, name: string) {
  const terminal = startOnTerminal(["env", "set", "KEY", "--secret", "--all"], {
    cwd: box.site,
    env: { ...box.env, ...env },
  });
  try {
    await terminal.shows(/Value of KEY/);
    await PASTES[name]!(terminal);
    assert.equal(await terminal.ended, 0, terminal.screen());
    assert.ok(!terminal.screen().includes("MIIEvQ"), "the terminal does not show the secret");
  } finally {
    await terminal.hangUp();
  }
  const exec = ["env", "exec", "--environment", "preview", "--", "printenv", "KEY"];
  assert.equal((await box.tool(exec)).stdout, `${PEM}\n`);
}

for (const name of Object.keys(PASTES)) {
  Deno.test({
    name: `a PEM key pasted in ${name} is stored completely`,
    ...needs("sh"),
    fn: () =>
      withSandbox(async (box) => {
        await box.start();
        await box.json(["init", "--name", "shop", "--create"]);
        await pasteAndRead(box, {}, name);
        await box.json(["env", "delete", "KEY", "--force"]);
        await pasteAndRead(box, { TERM: "dumb" }, name);
      }),
  });
}
