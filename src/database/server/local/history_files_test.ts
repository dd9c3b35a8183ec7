import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../../lib/_test_folder.ts";
import { basesFolder, readHistory, walFolder } from "./history_files.ts";

Deno.test("readHistory() leaves out what is removed while it reads", () =>
  inTestFolder(async (folder) => {
    const wal = walFolder(folder);
    const base = join(basesFolder(folder), "1750000000000-000000010000000000000001");
    await Deno.mkdir(base, { recursive: true });
    await Deno.mkdir(wal, { recursive: true });
    const names = Array.from(
      { length: 400 },
      (_, index) => `00000001000000000000${index.toString(16).padStart(4, "0").toUpperCase()}`,
    );
    for (const name of names) await Deno.writeTextFile(join(wal, name), "segment");
    const removals = (async () => {
      for (const name of names) await Deno.remove(join(wal, name));
    })();
    let fewest = names.length;
    while (fewest > 0) fewest = (await readHistory(folder)).segments.length;
    await removals;
    assert.deepEqual(await readHistory(folder), { bases: [], segments: [] });
  }));
