/** `svc db query` alone on a terminal: a prompt with history, errors and keys. */
import assert from "node:assert/strict";
import { programCommand } from "../../scripts/_program.ts";
import { withSandbox } from "../helpers/sandbox.ts";
import { startOnTerminal, type Terminal } from "../helpers/terminal.ts";
import { testNeeding } from "../helpers/empty_root.ts";

const test = testNeeding("sh");

/** Gives the terminal a size, as that of `script` has none, and becomes the rest. */
const AT_SIZE = ["sh", "-c", 'stty cols 100 rows 30 && exec "$@"', "sh"] as const;

const ARROW_UP = "\x1b[A";
const CTRL_C = "\x03";
const CTRL_D = "\x04";

/** Types keys, and waits for what is shown after them. */
async function answer(terminal: Terminal, keys: string, pattern: RegExp): Promise<string> {
  const from = terminal.screen().length;
  await terminal.type(keys);
  await terminal.shows(pattern, from);
  return terminal.screen().slice(from);
}

test("the prompt of db query runs statements, and knows them at its next start", () =>
  withSandbox(async (box) => {
    await box.start(["--postgres-port", "0"]);
    await box.json(["init", "--name", "shop", "--create"]);
    await box.json(["db", "create", "--name", "orders", "--wait"]);
    const open = async () => {
      const terminal = startOnTerminal(["db", "query"], {
        cwd: box.site,
        env: box.env,
        program: [...AT_SIZE, ...programCommand()],
      });
      await terminal.shows(/orders=> /);
      return terminal;
    };
    const first = await open();
    try {
      await answer(first, "select 7 as seven,\r", /orders-> /);
      const table = await answer(first, "'a' || repeat('b', 9) as text;\r", /abbbbbbbbb[^]*=> /);
      assert.match(table, / seven \| text\r\n-{7}\+-{12}\r\n {5}7 \| abbbbbbbbb\r\n1 row/);

      const failed = await answer(first, "select nowhere;\r", /42703[^]*=> /);
      assert.match(failed, /select nowhere[^]*\^/);
      await answer(first, "select 1 as forgotten" + CTRL_C, /=> /);
      const control = await answer(first, "select E'\\x1b[31mred' as c;\r", /\\x1b\[31mred[^]*=> /);
      assert.ok(!control.includes("\x1b[31m"));
      await answer(first, "select 40 + 2 as last_one;\r", / 42\b[^]*=> /);
      await first.type(CTRL_D);
      assert.equal(await first.ended, 0);
    } finally {
      await first.hangUp();
    }
    const second = await open();
    try {
      await answer(second, ARROW_UP, /select 40 \+ 2 as last_one;/);
      await answer(second, "\r", /\b42\b[^]*=> /);
      await second.type(CTRL_D);
      assert.equal(await second.ended, 0);
    } finally {
      await second.hangUp();
    }
  }));
