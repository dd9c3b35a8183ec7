import assert from "node:assert/strict";
import { lockInTime } from "./file_lock.ts";

Deno.test("lockInTime() waits for another lock to be released, and rejects a file that stays locked", async () => {
  const path = await Deno.makeTempFile();
  const open = () => Deno.open(path, { write: true });
  try {
    const holder = await open();
    assert.equal(await lockInTime(holder), true);
    assert.equal(await lockInTime(await open(), 20), false);
    const waiting = await open();
    const locked = lockInTime(waiting, 60_000);
    // Longer than the default wait.
    setTimeout(() => holder.close(), 500);
    assert.equal(await locked, true);
    waiting.close();
  } finally {
    await Deno.remove(path);
  }
});
