import assert from "node:assert/strict";
import { findLinkOut } from "./links.ts";

Deno.test("findLinkOut() finds links that leave the folder", async () => {
  const root = await Deno.realPath(await Deno.makeTempDir());
  const folder = `${root}/site`;
  await Deno.mkdir(`${folder}/deep/er`, { recursive: true });
  await Deno.writeTextFile(`${folder}/file`, "");
  await Deno.symlink("../../file", `${folder}/deep/er/inside`);
  assert.equal(findLinkOut(folder), undefined);
  await Deno.symlink("/etc/passwd", `${folder}/deep/er/outside`);
  assert.equal(findLinkOut(folder), `${folder}/deep/er/outside`);
  await Deno.remove(root, { recursive: true });
});
