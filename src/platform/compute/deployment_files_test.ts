import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../lib/hash.ts";
import { openFsBlobVault } from "../core/store/fs_blob_vault.ts";
import { DeploymentFiles } from "./deployment_files.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const DEPLOYMENT = "01890000-0000-7000-8000-000000000001";
const CONTENT = { "server/entry.mjs": "export {}", "index.html": "home", "copy.html": "home" };

async function withFiles(
  run: (parts: {
    readonly root: string;
    readonly blobs: Awaited<ReturnType<typeof openFsBlobVault>>;
    readonly source: Parameters<DeploymentFiles["folder"]>[0];
  }) => Promise<void>,
  content: Readonly<Record<string, string>> = CONTENT,
) {
  await inTestFolder(async (root) => {
    const vault = await openFsBlobVault(join(root, "blobs"));
    const blobs = vault.of("01890000-0000-7000-8000-0000000000aa");
    const files = [];
    for (const [path, text] of Object.entries(content)) {
      const bytes = new TextEncoder().encode(text);
      const sha256 = sha256Hex(bytes);
      await blobs.put(sha256, bytes);
      files.push({ path, sha256, size: bytes.byteLength });
    }
    await run({ root, blobs: vault, source: { deploymentId: DEPLOYMENT, files, blobs } });
  });
}

function read(folder: string) {
  return Object.fromEntries(
    Object.keys(CONTENT).map((path) => [path, Deno.readTextFileSync(join(folder, path))]),
  );
}

Deno.test("DeploymentFiles.folder() creates the folder once, with hard links", () =>
  withFiles(async ({ root, source }) => {
    const files = new DeploymentFiles(join(root, "compute"));
    const [first, second] = await Promise.all([files.folder(source), files.folder(source)]);
    assert.equal(first, second);
    assert.deepEqual(read(first), CONTENT);
    assert.equal(Deno.statSync(join(first, "index.html")).nlink, 3);
    assert.deepEqual(await files.list(), [DEPLOYMENT]);
    await files.remove(DEPLOYMENT);
    assert.deepEqual(await files.list(), []);
  }));

Deno.test("DeploymentFiles.folder() recreates incomplete folders, and removes leftovers from a crash", () =>
  withFiles(async ({ root, source }) => {
    const place = join(root, "compute");
    const folder = await new DeploymentFiles(place).folder(source);
    Deno.removeSync(join(folder, "server/entry.mjs"));
    Deno.writeTextFileSync(join(folder, "half"), "");
    Deno.mkdirSync(join(place, "incoming", "left"), { recursive: true });
    const again = new DeploymentFiles(place);
    assert.deepEqual(read(await again.folder(source)), CONTENT);
    assert.deepEqual(Array.from(Deno.readDirSync(join(place, "incoming"))), []);
    assert.throws(() => Deno.statSync(join(folder, "half")));
  }));

Deno.test("DeploymentFiles.folder() lets other users read a deployment, but not list its parent", () =>
  withFiles(async ({ root, source }) => {
    const umask = Deno.umask(0o077);
    try {
      const folder = await new DeploymentFiles(join(root, "compute")).folder(source);
      const mode = (path: string) => Deno.statSync(join(folder, path)).mode! & 0o777;
      assert.deepEqual(
        ["server/entry.mjs", "server", ".", ".."].map(mode),
        [0o755, 0o755, 0o755, 0o700],
      );
    } finally {
      Deno.umask(umask);
    }
  }));

Deno.test("DeploymentFiles.folder() stops the search for a package.json next to the folder", () =>
  withFiles(async ({ root, source }) => {
    const folder = await new DeploymentFiles(join(root, "compute")).folder(source);
    const beside = Deno.readTextFileSync(join(folder, "..", "package.json"));
    assert.equal(JSON.parse(beside).type, "module");
  }));

Deno.test("DeploymentFiles.folder() leaves nothing behind if a blob is damaged", () =>
  withFiles(async ({ root, source }) => {
    const { sha256 } = source.files[0]!;
    const [workspace] = Array.from(Deno.readDirSync(join(root, "blobs")), ({ name }) => name)
      .filter((name) => name !== "incoming");
    Deno.writeTextFileSync(join(root, "blobs", workspace!, sha256.slice(0, 2), sha256), "changed");
    const files = new DeploymentFiles(join(root, "compute"));
    await assert.rejects(files.folder(source), /changed on disk/);
    assert.deepEqual(await files.list(), []);
  }));

const listOfLinks = (links: Readonly<Record<string, string>>) => ({
  ...CONTENT,
  ".svc/links.json": JSON.stringify({ version: 1, links }),
});

Deno.test("DeploymentFiles.folder() creates the links, and recreates them if one is missing", () =>
  withFiles(async ({ root, source }) => {
    const files = new DeploymentFiles(join(root, "compute"));
    const folder = await files.folder(source);
    const link = join(folder, "node_modules/own");
    assert.equal(Deno.readLinkSync(link), "../server");
    assert.equal(Deno.readTextFileSync(join(link, "entry.mjs")), CONTENT["server/entry.mjs"]);
    Deno.removeSync(link);
    await files.folder(source);
    assert.equal(Deno.readLinkSync(link), "../server");
  }, listOfLinks({ "node_modules/own": "../server" })));

Deno.test("DeploymentFiles.folder() creates nothing if a link points outside", () =>
  withFiles(async ({ root, source }) => {
    const files = new DeploymentFiles(join(root, "compute"));
    await assert.rejects(files.folder(source), /link "out": its target .* points outside/);
    assert.deepEqual(await files.list(), []);
  }, listOfLinks({ out: "../../blobs" })));
