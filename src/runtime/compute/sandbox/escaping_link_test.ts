import assert from "node:assert/strict";
import { findEscapingLink } from "./escaping_link.ts";

Deno.test("findEscapingLink() finds links that point outside the folder", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const folder = `${root}/site`;
  await Deno.mkdir(`${folder}/deep/er`, { recursive: true });
  await Deno.writeTextFile(`${folder}/file`, "");
  await Deno.symlink("../../file", `${folder}/deep/er/inside`);
  assert.equal(findEscapingLink(folder), undefined);
  await Deno.symlink("/etc/passwd", `${folder}/deep/er/outside`);
  assert.equal(findEscapingLink(folder), `${folder}/deep/er/outside`);
  await Deno.remove(root, { recursive: true });
});
