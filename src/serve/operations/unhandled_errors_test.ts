import assert from "node:assert/strict";
import { UnhandledErrors } from "./unhandled_errors.ts";

Deno.test("UnhandledErrors counts all errors and logs at most 60 per minute, with an ID", () => {
  const logged: string[] = [];
  let now = 0;
  let id = 0;
  const errors = new UnhandledErrors({
    log: ({ message }) => logged.push(message),
    now: () => now,
    newId: () => `id-${++id}`,
  });
  for (let count = 0; count < 100; count++) errors.note("rejection", new Error("torn"));
  assert.equal(errors.count, 100);
  assert.equal(logged.length, 60);
  assert.match(logged[0] ?? "", /^Unhandled rejection id-1, please report it: Error: torn\n/);
  now = 60_000;
  errors.note("error", "thrown");
  assert.equal(logged.at(-1), "Unhandled error id-61, please report it: thrown");
});

Deno.test("UnhandledErrors keeps the process alive after a rejection and an error", async () => {
  const module = new URL("./unhandled_errors.ts", import.meta.url).href;
  const code = `
    import { UnhandledErrors } from ${JSON.stringify(module)};
    const errors = new UnhandledErrors({ log: () => {}, now: () => 0, newId: () => "1" });
    errors.listen();
    Promise.reject(new Error("rejected"));
    queueMicrotask(() => { throw new Error("thrown"); });
    setTimeout(() => { throw new Error("thrown later"); });
    setTimeout(() => console.log(errors.count), 10);
  `;
  const { code: exit, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", code],
    env: { NO_COLOR: "1" },
  }).output();
  assert.deepEqual([exit, new TextDecoder().decode(stdout)], [0, "3\n"]);
});
