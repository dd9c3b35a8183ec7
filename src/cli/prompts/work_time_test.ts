import assert from "node:assert/strict";
import type { Prompter } from "./prompter.ts";
import { startWorkTime } from "./work_time.ts";

Deno.test("elapsed() excludes the time until the user answered or cancelled", async () => {
  let clock = 1_000;
  const unasked = () => Promise.reject(new RangeError("Nobody asked"));
  const slow: Prompter = {
    text: () => Promise.resolve(void (clock += 60_000)).then(() => "site"),
    value: unasked,
    confirm: () =>
      Promise.resolve(void (clock += 5_000)).then(() => Promise.reject(new Error("no"))),
    select: unasked,
  };
  const work = startWorkTime(() => clock);
  clock += 200;
  const prompter = work.watch(slow);
  assert.equal(await prompter.text({ message: "Name" }), "site");
  await assert.rejects(prompter.confirm({ message: "Sure?" }));
  clock += 100;
  assert.equal(work.elapsed(), 300);
});
