import assert from "node:assert/strict";
import { ExceptionLines } from "./exception_lines.ts";

function collect(lines: readonly string[]): string[] {
  const found: string[] = [];
  const exceptions = new ExceptionLines((_, text) => found.push(text));
  for (const message of lines) {
    exceptions.add({ time: 0, deploymentId: "d", source: "app", message });
  }
  exceptions.flush(1);
  return found;
}

Deno.test("ExceptionLines joins the lines of an exception", () => {
  assert.deepEqual(
    collect([
      "listening",
      "TypeError: No boat",
      "    at find (a.js:1:2)",
      "    at run (a.js:3:4)",
      "done",
      "RangeError: one\n    at f (b.js:1:1)",
      "Error: bare",
    ]),
    [
      "TypeError: No boat\n    at find (a.js:1:2)\n    at run (a.js:3:4)",
      "RangeError: one\n    at f (b.js:1:1)",
      "Error: bare",
    ],
  );
});

Deno.test("ExceptionLines keeps multi-line messages and the causes of exceptions", () => {
  assert.deepEqual(
    collect([
      "Error: first",
      "second",
      "    at f (a.js:1:1)",
      "  [cause]: TypeError: why",
      "    at g (b.js:1:1)",
    ]),
    ["Error: first\nsecond\n    at f (a.js:1:1)\n  [cause]: TypeError: why\n    at g (b.js:1:1)"],
  );
});

Deno.test("ExceptionLines recognizes errors of any class by the frame that follows", () => {
  assert.deepEqual(
    collect([
      "NoTide: none at 17",
      "    at find (a.js:1:2)",
      "Listening: on port 80",
      "ready",
      "    at the quay",
      "Trace: here",
      "    at find (a.js:1:2)",
      "Uncaught Timeout [ETIME]: late",
      "    at wait (b.js:1:1)",
      "  [cause]: Refused: why",
      "    at ask (c.js:1:1)",
    ]),
    [
      "NoTide: none at 17\n    at find (a.js:1:2)",
      "Uncaught Timeout [ETIME]: late\n    at wait (b.js:1:1)\n  [cause]: Refused: why\n" +
      "    at ask (c.js:1:1)",
    ],
  );
});

Deno.test("ExceptionLines recognizes Deno's uncaught errors, and any class after other words", () => {
  const uncaught = [
    "error: Uncaught (in promise) PaymentDeclined: no funds",
    'throw new PaymentDeclined("no funds");',
    "      ^",
    "    at file:///app/main.ts:12:7",
  ];
  assert.deepEqual(
    collect([
      "Serving: http://0.0.0.0:8000/",
      "GET: /pay",
      "payment failed NotFound: No such file or directory (os error 2)",
      "    at Object.readTextFile (ext:deno_fs/30_fs.js:814:24)",
      "order 12: TypeError: x",
      "    at file:///app/main.ts:7:34",
      "NotCapable: Requires read access",
      "run again with --allow-read",
      "    at file:///app/main.ts:8:12 {",
      "Listening: on port 80",
      "Trace: here",
      "    at file:///app/main.ts:9:1",
      ...uncaught,
    ]),
    [
      "NotFound: No such file or directory (os error 2)\n" +
      "    at Object.readTextFile (ext:deno_fs/30_fs.js:814:24)",
      "TypeError: x\n    at file:///app/main.ts:7:34",
      "NotCapable: Requires read access\nrun again with --allow-read\n" +
      "    at file:///app/main.ts:8:12 {",
      uncaught.join("\n"),
    ],
  );
});

Deno.test("ExceptionLines cuts off an endless exception", () => {
  const [text, ...rest] = collect(["Error: x", ...Array(500).fill("    at f (a.js:1:1)")]);
  assert.deepEqual([text!.split("\n").length, rest], [50, []]);
});
