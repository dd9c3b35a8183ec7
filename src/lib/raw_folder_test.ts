import assert from "node:assert/strict";
import { rawNames } from "./raw_folder.ts";
import { inTestFolder } from "./_test_folder.ts";

Deno.test({
  name: "rawNames() returns names that are not valid UTF-8",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await inTestFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/é.txt`, "");
      // Deno cannot write such a name, so a shell does it.
      const { success } = await new Deno.Command("sh", {
        args: ["-c", `cd '${folder}' && : > "$(printf 'caf\\351.txt')"`],
      }).output();
      assert.ok(success);
      const names = rawNames(folder)!.map((name) => [...name].map((byte) => byte.toString(16)));
      assert.deepEqual(
        new Set(names.map((bytes) => bytes.join(" "))),
        new Set([
          "c3 a9 2e 74 78 74",
          "63 61 66 e9 2e 74 78 74",
        ]),
      );
      assert.equal(rawNames(`${folder}/gone`), undefined);
    });
  },
});
