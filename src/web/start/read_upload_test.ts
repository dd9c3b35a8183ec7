import assert from "node:assert/strict";
import { zip } from "../../lib/_test_zip.ts";
import type { SentForm } from "../layout/form.ts";
import { readUpload, uploadTitle } from "./read_upload.ts";

const form = (fields: Record<string, string>, files: readonly File[] = []): SentForm => ({
  fields,
  values: () => [],
  files: () => files,
});
const list = (...paths: readonly string[]) =>
  form({ list: JSON.stringify(paths.map((path) => ({ path, sha256: "0".repeat(64), size: 1 }))) });
const titleOf = async (sent: SentForm) => uploadTitle(await readUpload(sent));

Deno.test("uploadTitle() names the folder or archive and counts its files", async () => {
  assert.equal(
    await titleOf(list("harbour/index.html", "harbour/site.css")),
    "Upload of harbour (2 files)",
  );
  assert.equal(
    await titleOf(list("export/site/index.html")),
    "Upload of export (1 file)",
    "folders around a site",
  );
  assert.equal(await titleOf(list("index.html", "css/site.css")), "Upload of 2 files");
  const archive = new File([zip([{ path: "site/index.html", text: "<h1>Menu</h1>" }])], "menu.zip");
  assert.equal(await titleOf(form({}, [archive])), "Upload of menu.zip (1 file)");
  const folder = new File(["<h1>Menu</h1>"], "menu/index.html");
  assert.equal(await titleOf(form({}, [folder])), "Upload of menu (1 file)");
  const long = list(`${"m".repeat(200)}/index.html`);
  assert.equal((await titleOf(long)).length, 119);
});
