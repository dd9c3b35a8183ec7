import assert from "node:assert/strict";
import { join } from "node:path";
import { git } from "../../lib/_test_git.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { makeSourcePush, type SourceCommit } from "./source_pack.ts";
import { PushHead } from "./push_request.ts";

const COMMIT: SourceCommit = {
  branch: "main",
  parent: undefined,
  message: "Add the tides",
  author: { name: "Ada <Lovelace>\n", email: "ada@example.com" },
  at: Date.UTC(2026, 10, 27),
};

/** The contents of a commit's files, by path. Git must read the same contents. */
const FILES: Readonly<Record<string, string>> = {
  "package.json": "{}",
  "src.txt": "next to a folder that sorts after it",
  "src/a/deep/page.html": "<h1>Hi</h1>",
  "src/b.html": "<h1>Hi</h1>",
  "empty": "",
  "naïve café/ü.txt": "x".repeat(100_000),
};

function sources(texts: Readonly<Record<string, string>>) {
  const contents = new Map<string, Uint8Array>();
  const files = Object.entries(texts).map(([path, text]) => {
    const content = new TextEncoder().encode(text);
    const sha256 = sha256Hex(content);
    contents.set(sha256, content);
    return { path, sha256 };
  });
  return { files, read: (sha256: string) => Promise.resolve(contents.get(sha256)!) };
}

Deno.test("makeSourcePush() creates a pack that git accepts, with every file and the parent", () =>
  inTestFolder(async (folder) => {
    await git(folder, "init", "--quiet", "--initial-branch=main");
    let parent: string | undefined;
    for (const texts of [FILES, { ...FILES, "empty": "no more" }]) {
      const { files, read } = sources(texts);
      const push = await makeSourcePush(files, read, { ...COMMIT, parent });
      const bytes = await new Response(push.body).bytes();
      const head = new PushHead();
      head.push(bytes);
      assert.deepEqual(head.request.commands, [
        { ref: "refs/heads/main", before: parent, sha: push.sha },
      ]);
      const at = new TextDecoder("latin1").decode(bytes).indexOf("PACK");
      const pack = join(folder, `${push.sha}.pack`);
      await Deno.writeFile(pack, bytes.subarray(at));
      await git(folder, "index-pack", "--strict", "--fsck-objects", pack);
      await Deno.copyFile(pack, join(folder, ".git/objects/pack", `pack-${push.sha}.pack`));
      await Deno.copyFile(
        pack.replace(/pack$/, "idx"),
        join(folder, ".git/objects/pack", `pack-${push.sha}.idx`),
      );
      await git(folder, "update-ref", push.ref, push.sha);
      for (const [path, text] of Object.entries(texts)) {
        assert.equal(await git(folder, "cat-file", "blob", `${push.sha}:${path}`), text, path);
      }
      const log = await git(folder, "log", "-1", "--format=%P|%an|%ae|%s|%cI", push.sha);
      assert.equal(
        log.replace("Z", "+00:00"),
        `${parent ?? ""}|Ada  Lovelace|ada@example.com|Add the tides|2026-11-27T00:00:00+00:00`,
      );
      parent = push.sha;
    }
    await git(folder, "fsck", "--strict");
  }));

for (
  const texts of [
    { "a": "file", "a/b": "below it" },
    { "a/b": "below it", "a": "file" },
  ]
) {
  Deno.test(`makeSourcePush() refuses ${Object.keys(texts).join(" with ")}`, async () => {
    const { files, read } = sources(texts);
    await assert.rejects(makeSourcePush(files, read, COMMIT), RangeError);
  });
}
