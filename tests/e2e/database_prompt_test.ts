/**
 * Tests `svc db query` without SQL in a terminal: a prompt with history, errors and keys.
 * `DATABASE_TESTS=all` also runs the test with a PostgreSQL server.
 */
import assert from "node:assert/strict";
import { programCommand } from "../../scripts/_program.ts";
import { NO_POSTGRES } from "../../src/database/server/_test_server.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { startOnTerminal, type Terminal } from "../helpers/terminal.ts";
import { needs } from "../helpers/empty_root.ts";

/** Sets the terminal's size and runs the command in the arguments. */
const atSize = (columns: number, rows: number) =>
  ["sh", "-c", `stty cols ${columns} rows ${rows} && exec "$@"`, "sh"] as const;

/** A terminal whose size was never set, as in some containers. */
const WITHOUT_SIZE = atSize(0, 0);

const ARROW_UP = "\x1b[A";
const CTRL_C = "\x03";
const CTRL_D = "\x04";

/** Types keys and waits for the output. */
async function answer(terminal: Terminal, keys: string, pattern: RegExp): Promise<string> {
  const from = terminal.screen().length;
  await terminal.type(keys);
  await terminal.shows(pattern, from);
  return terminal.screen().slice(from);
}

async function usePrompt(box: Sandbox): Promise<void> {
  await box.json(["init", "--name", "shop", "--create"]);
  await box.json(["db", "create", "--name", "orders", "--wait"]);
  const open = async (size = atSize(100, 30)) => {
    const terminal = startOnTerminal(["db", "query"], {
      cwd: box.site,
      env: box.env,
      program: [...size, ...programCommand()],
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
    await answer(first, "create table boats (name text);\r", /CREATE TABLE[^]*=> /);
    const hinted = await answer(first, "select nam from boats;\r", /42703[^]*=> /);
    assert.match(hinted, /Perhaps you meant to reference the column "boats\.name"/);
    await answer(first, "select 1 as forgotten" + CTRL_C, /=> /);
    const control = await answer(first, "select E'\\x1b[31mred' as c;\r", /\\x1b\[31mred[^]*=> /);
    assert.ok(!control.includes("\x1b[31m"));
    await answer(first, "select 40 + 2 as last_one;\r", / 42\b[^]*=> /);
    await first.type(CTRL_D);
    assert.equal(await first.ended, 0);
  } finally {
    await first.hangUp();
  }
  const second = await open(WITHOUT_SIZE);
  try {
    await answer(second, ARROW_UP, /select 40 \+ 2 as last_one;/);
    await answer(second, "\r", /\b42\b[^]*=> /);
    await second.type(CTRL_D);
    assert.equal(await second.ended, 0);
  } finally {
    await second.hangUp();
  }
}

const isLong = Deno.env.get("DATABASE_TESTS") === "all";

Deno.test({
  name: "the db query prompt runs statements and remembers them the next time it starts",
  ...needs("sh"),
  fn: () =>
    withSandbox(async (box) => {
      await box.start(["--postgres-port", "0"]);
      await usePrompt(box);
    }),
});

Deno.test({
  name: "the db query prompt works with a database server",
  ignore: !isLong || NO_POSTGRES !== undefined || needs("sh").ignore,
  fn: () =>
    withSandbox(async (box) => {
      // PostgreSQL's user must have access to the data directory.
      await Deno.chmod(box.folder, 0o755);
      await box.start(["--postgres", "local", "--postgres-port", "0"]);
      await usePrompt(box);
      assert.equal(await box.platform!.stop(), 0);
    }),
});
