import assert from "node:assert/strict";
import { openFsBlobVault } from "../core/store/mod.ts";
import { loadContent, readContent, writeContent } from "./content.ts";
import { storeContent } from "./create_deployment.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const WORKSPACE = "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e05";
const RECEIVED = {
  manifest: {
    version: 1,
    layers: [{ name: "site", target: "STATIC", directory: "." }],
    routes: [{ pattern: "^/.*$", layer: "site" }],
    cron: [{ path: "/tidy", schedule: "0 5 * * *" }],
  },
  files: [{ path: "index.html", sha256: "a".repeat(64), size: 1 }],
  functions: [{ name: "api", sha256: "b".repeat(64), size: 1 }],
  rules: {
    schemaVersion: "EDGE_RULE_SET_V1",
    rules: [{
      id: "r",
      condition: { path: { type: "exact", value: "/a" } },
      action: { type: "redirect", target: "/b" },
    }],
  },
};

Deno.test("readContent() returns the complete stored content from memory", () =>
  inTestFolder(async (folder) => {
    const blobs = (await openFsBlobVault(folder)).of(WORKSPACE);
    const { contentSha } = await storeContent(blobs, RECEIVED);
    const [known, stored] = [
      await readContent(blobs, contentSha),
      await loadContent(blobs, contentSha),
    ];
    assert.notEqual(known, stored);
    assert.deepStrictEqual(known, stored);
    assert.equal(await readContent(blobs, contentSha), known);
  }));

Deno.test("readContent() ignores content in memory that no longer exists on disk", () =>
  inTestFolder(async (folder) => {
    const blobs = (await openFsBlobVault(folder)).of(WORKSPACE);
    const { manifest } = await loadContent(
      blobs,
      (await storeContent(blobs, RECEIVED)).contentSha,
    );
    const sha256 = await writeContent(blobs, { manifest, files: [], functions: [], rules: null });
    await readContent(blobs, sha256);
    await Deno.remove(`${folder}/${WORKSPACE}/${sha256.slice(0, 2)}/${sha256}`);
    await assert.rejects(readContent(blobs, sha256));
  }));
