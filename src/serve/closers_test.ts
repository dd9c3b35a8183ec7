import assert from "node:assert/strict";
import { Closers } from "./closers.ts";

Deno.test("Closers.close() closes the latest resource first, and each only once", async () => {
  const closed: string[] = [];
  const closers = new Closers();
  for (const name of ["store", "server", "timer"]) {
    closers.add({
      close: async () => {
        await Promise.resolve();
        closed.push(name);
      },
    });
  }
  await Promise.all([closers.close(), closers.close()]);
  assert.deepEqual(closed, ["timer", "server", "store"]);
});
