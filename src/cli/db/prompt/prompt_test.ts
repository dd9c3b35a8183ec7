import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { openHistory } from "./history.ts";
import { openPrompt } from "./prompt.ts";

const [CTRL_C, CTRL_D, UP] = ["\x03", "\x04", "\x1b[A"];

interface Bench {
  readonly ran: string[];
  readonly said: string[];
  /** Returns the terminal's current content. */
  shown(): string;
  type(text: string): void;
  /** Waits until the terminal shows the given text after its previous content. */
  sees(text: string): Promise<void>;
  /** Called with each running statement. */
  onRun: (sql: string, signal: AbortSignal) => Promise<void>;
  readonly done: Promise<void>;
}

async function openBench(): Promise<Bench> {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = "";
  let seen = 0;
  let changed = Promise.withResolvers<void>();
  output.on("data", (piece) => {
    shown += piece;
    changed.resolve();
    changed = Promise.withResolvers();
  });
  const ran: string[] = [];
  const said: string[] = [];
  const prompt = openPrompt({
    input,
    output,
    name: "shop",
    history: await openHistory(undefined),
    run: (sql, signal) => {
      ran.push(sql);
      return bench.onRun(sql, signal);
    },
    say: (text) => said.push(text),
    setExpanded: (expanded) => said.push(String(expanded)),
  });
  const bench: Bench = {
    ran,
    said,
    shown: () => shown,
    type: (text) => input.write(text),
    async sees(text) {
      let at: number;
      while ((at = shown.indexOf(text, seen)) === -1) await changed.promise;
      seen = at + text.length;
    },
    onRun: () => Promise.resolve(),
    done: prompt.done,
  };
  await bench.sees("shop=> ");
  return bench;
}

Deno.test("the prompt runs multi-line statements, one after the other", async () => {
  const bench = await openBench();
  bench.type("select\n");
  await bench.sees("shop-> ");
  bench.type("1; select 2;\nselect 3;\n");
  await bench.sees("shop=> ");
  bench.type(CTRL_D);
  await bench.done;
  assert.deepEqual(bench.ran, ["select\n1;\nselect 2;", "select 3;"]);
});

Deno.test("Ctrl-C cancels the running statement, and the prompt continues", async () => {
  const bench = await openBench();
  const started = Promise.withResolvers<void>();
  bench.onRun = (_, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    started.resolve();
    return promise;
  };
  bench.type("select pg_sleep(1000);\n");
  await started.promise;
  bench.type(CTRL_C);
  await bench.sees("shop=> ");
  bench.type("\\q\n");
  await bench.done;
  assert.deepEqual(bench.ran, ["select pg_sleep(1000);"]);
});

Deno.test("Ctrl-C clears the input", async () => {
  const bench = await openBench();
  bench.type("delete from boats\n");
  await bench.sees("shop-> ");
  bench.type(`where name ${CTRL_C}`);
  await bench.sees("shop=> ");
  bench.type("select 1;\n");
  await bench.sees("shop=> ");
  bench.type(CTRL_D);
  await bench.done;
  assert.deepEqual(bench.ran, ["select 1;"]);
});

Deno.test("the arrow key recalls statements, except those with a password", async () => {
  const bench = await openBench();
  bench.type("select\n");
  await bench.sees("shop-> ");
  bench.type("1;\n");
  await bench.sees("shop=> ");
  bench.type("alter role a password 'x';\n");
  await bench.sees("shop=> ");
  bench.type(`${UP}\n`);
  await bench.sees("shop=> ");
  bench.type(CTRL_D);
  await bench.done;
  assert.deepEqual(bench.ran, ["select\n1;", "alter role a password 'x';", "select\n1;"]);
});

Deno.test("backslash commands print help, switch the layout and list tables", async () => {
  const bench = await openBench();
  for (const command of ["\\?", "\\x", "\\copy", "\\dt"]) {
    bench.type(`${command}\n`);
    await bench.sees("shop=> ");
  }
  bench.type("\\q\n");
  await bench.done;
  assert.match(bench.said[0]!, /Ctrl-C cancels/);
  assert.deepEqual(bench.said.slice(1, 3), ["true", "Showing one row at a time"]);
  assert.match(bench.said[3]!, /Unknown command \\copy/);
  assert.match(bench.ran[0]!, /pg_class/);
});

Deno.test("a transaction is sent as one request, and a message explains that", async () => {
  const bench = await openBench();
  bench.type("begin;\n");
  await bench.sees("shop!> ");
  assert.match(bench.said[0]!, /sent when you enter/);
  bench.type("select 1;\ncommit;\n");
  await bench.sees("shop=> ");
  bench.type(CTRL_D);
  await bench.done;
  assert.deepEqual(bench.ran, ["begin;\nselect 1;\ncommit;"]);
});
