import assert from "node:assert/strict";
import { join } from "node:path";
import type { PackedEvent } from "../../../build/mod.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { openFsBlobVault } from "../../core/store/fs_blob_vault.ts";
import { collectOutput, OutputRefused } from "./collect_output.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

const WORKSPACE = "019a0000-0000-7000-8000-000000000001";

const packed = (content: string, path = "a.html"): PackedEvent => ({
  type: "packed",
  manifest: {},
  files: [{ path, content, size: 1 }],
  functions: [],
});

async function withBox(
  run: (box: string, collect: (event: PackedEvent) => ReturnType<typeof collectOutput>) => Promise<
    void
  >,
): Promise<void> {
  await inTestFolder(async (folder) => {
    const box = join(folder, "box");
    await Deno.mkdir(join(box, "out"), { recursive: true });
    await Deno.writeTextFile(join(folder, "secret"), "secret");
    const vault = await openFsBlobVault(join(folder, "blobs"));
    const shown = [{ from: box, to: "/build" }];
    await run(
      box,
      (event) =>
        collectOutput(event, { blobs: vault.of(WORKSPACE), shown, uid: Deno.uid() ?? undefined }),
    );
  });
}

Deno.test("collectOutput() stores files under their content's hash", async () => {
  await withBox(async (box, collect) => {
    await Deno.writeTextFile(join(box, "out/a.html"), "hello");
    await Deno.writeTextFile(join(box, "out/large.bin"), "x".repeat(2 ** 20 + 1));
    const small = await collect(packed("/build/out/a.html"));
    assert.deepEqual(small.files, [{ path: "a.html", sha256: sha256Hex("hello"), size: 5 }]);
    const { files: [large] } = await collect(packed("/build/out/large.bin"));
    assert.equal(large?.size, 2 ** 20 + 1);
  });
});

const OUTSIDE = [
  "/etc/hostname",
  "/build/../secret",
  "/build/out/../../secret",
  "/build//etc",
  "/buildings/x",
  "build/out/a.html",
  "/build",
  "",
];

Deno.test("collectOutput() collects nothing outside the build's folders", async () => {
  await withBox(async (_box, collect) => {
    for (const content of OUTSIDE) {
      await assert.rejects(collect(packed(content)), OutputRefused, content);
    }
  });
});

Deno.test("collectOutput() follows no link and opens no pipe", async () => {
  await withBox(async (box, collect) => {
    await Deno.symlink(join(box, "../secret"), join(box, "out/link"));
    await Deno.symlink(join(box, ".."), join(box, "out/folder"));
    await new Deno.Command("mkfifo", { args: [join(box, "out/fifo")] }).output();
    for (const name of ["link", "folder/secret", "folder", "fifo", "missing"]) {
      await assert.rejects(collect(packed(`/build/out/${name}`)), OutputRefused, name);
    }
  });
});

Deno.test({
  name: "collectOutput() collects no files that other users own",
  ignore: Deno.uid() !== 0,
  fn: () =>
    withBox(async (box, collect) => {
      await Deno.writeTextFile(join(box, "out/a.html"), "hello");
      await Deno.chown(join(box, "out/a.html"), 60_801, 60_801);
      await assert.rejects(collect(packed("/build/out/a.html")), OutputRefused);
    }),
});

Deno.test("collectOutput() refuses paths that a site cannot have", async () => {
  await withBox(async (box, collect) => {
    await Deno.writeTextFile(join(box, "out/a.html"), "hello");
    for (const path of ["../a", "/a", "a\nb", "a//b", "a\\b"]) {
      await assert.rejects(collect(packed("/build/out/a.html", path)), OutputRefused, path);
    }
  });
});
