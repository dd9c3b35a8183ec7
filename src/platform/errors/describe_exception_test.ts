import assert from "node:assert/strict";
import { describeException, MAX_STACK, MAX_TITLE, withoutVarying } from "./describe_exception.ts";

const at = (stack: string, message = "x") =>
  describeException({ kind: "function", source: "tides", message, stack });

const STACK =
  "TideError: No tide for 17\n    at fail (functions/tides.ts:5:9)\n    at run (a.ts:1:1)";

Deno.test("describeException() returns the same ID for the same class and frames", () => {
  const { id, title, stack } = at(STACK);
  assert.match(id, /^[0-9a-f]{16}$/);
  assert.equal(title, "TideError: No tide for 17");
  assert.equal(stack, STACK);
  const same = {
    "another message": STACK.replace("17", "lunch"),
    "another line": STACK.replace(":5:9", ":6:10"),
    "a folder of the sandbox": STACK.replace("a.ts", "file:///srv/compute/0190/a.ts"),
    "an await": STACK.replace("at run", "at async run"),
  };
  for (const [name, other] of Object.entries(same)) assert.equal(at(other).id, id, name);
  const different = {
    "another class": STACK.replace("TideError", "TypeError"),
    "a class whose name does not end with Error": STACK.replace("TideError", "NoTide"),
    "another class whose name does not end with Error": STACK.replace("TideError", "TooLate"),
    "another function": STACK.replace("at fail", "at find"),
    "another file": STACK.replace("tides.ts", "moons.ts"),
  };
  for (const [name, other] of Object.entries(different)) assert.notEqual(at(other).id, id, name);
  const ids = new Set(Object.values(different).map((other) => at(other).id));
  assert.equal(ids.size, Object.keys(different).length);
});

Deno.test("describeException() distinguishes errors without frames by the constant parts of their messages", () => {
  const id = (message: string) => describeException({ kind: "server", source: "app", message }).id;
  assert.equal(id("Timeout after 100 ms"), id("Timeout after 230 ms"));
  assert.equal(
    id("Order 0190a1b2-0000-7000-8000-0123456789ab is gone"),
    id("Order 0190a1b2-0000-7000-8000-fedcba987654 is gone"),
  );
  assert.notEqual(id("Timeout"), id("Refused"));
});

Deno.test("describeException() limits the length of strings from project code", () => {
  const { title, stack } = at(`${"E".repeat(10_000)}\n${"    at f (a.ts:1:1)\n".repeat(10_000)}`);
  assert.equal(title.length, MAX_TITLE);
  assert.equal(stack?.length, MAX_STACK);
});

Deno.test("withoutVarying() keeps ordinary words", () => {
  assert.equal(withoutVarying("decade 12 at 0xff, deadbeef1"), "decade <n> at <hex>, <hex>");
});
