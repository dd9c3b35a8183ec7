import assert from "node:assert/strict";
import { join } from "node:path";
import { unpackTar } from "modern-tar";
import { brotliDecompressSync } from "node:zlib";
import { readTemplate, unpackTemplate, VERSION_FILE } from "./embedded/template/unpack_template.ts";
import { verifyPages } from "./verify_pages.ts";
import { inTestFolder } from "../lib/_test_folder.ts";

Deno.test("verifyPages() finds each flipped bit in a page, and names the file", async () => {
  await inTestFolder(async (folder) => {
    const data = join(folder, "data");
    const template = await readTemplate();
    const entries = await unpackTar(Uint8Array.from(brotliDecompressSync(template.archive)));
    const made = entries.find(({ header }) => header.name === VERSION_FILE);
    const version = new TextDecoder().decode(made!.data);
    await unpackTemplate(template, { folder: data, version });
    const whole = await verifyPages(data);
    assert.ok(whole.pages > 900, `${whole.pages} pages`);
    assert.deepEqual([whole.unchecked, whole.damaged], [0, []]);
    const path = join(data, "base", "1", "1259");
    for (
      const [offset, page] of [[4, 0], [8, 0], [8192 + 8191, 1], [2 * 8192 + 4000, 2]] as const
    ) {
      const bytes = await Deno.readFile(path);
      await Deno.writeFile(path, bytes.map((byte, index) => index === offset ? byte ^ 0x10 : byte));
      assert.deepEqual((await verifyPages(data)).damaged, [`${path}, page ${page}`]);
      await Deno.writeFile(path, bytes);
    }
  });
});
