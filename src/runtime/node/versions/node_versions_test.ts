import assert from "node:assert/strict";
import { dirname } from "node:path";
import { makeTestFolder } from "../../../lib/_test_folder.ts";
import { findNode } from "./find_node.ts";
import { binaryIn, installNode, type InstallOptions } from "./install_node.ts";
import { NodeVersions } from "./node_versions.ts";

/** Writes a stand-in for Node that only reports a version. */
async function writeNode(path: string, version: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, `#!/bin/sh\necho v${version}\n`, { mode: 0o755 });
}

const binaryOf = (versions: NodeVersions, version: string, user = "dpl_1"): Promise<string> =>
  versions.binary({ version, user });

const wholeOf = (version: string): string => `${version}.9.9`.split(".").slice(0, 3).join(".");

/** Manages versions, and counts the fetches. Each fetch waits until `open` is called. */
async function fetched(options: { readonly version?: string; readonly fail?: boolean } = {}) {
  const folder = await makeTestFolder("svc-node-versions-");
  const fetches: string[] = [];
  const gate = Promise.withResolvers<void>();
  const install = async ({ version, folder }: InstallOptions) => {
    fetches.push(version);
    await gate.promise;
    await writeNode(binaryIn(folder), options.version ?? wholeOf(version));
    if (options.fail === true) throw new Error("broken off");
  };
  const versions = new NodeVersions({ folder, env: { PATH: "" }, install });
  return { folder, fetches, versions, open: gate.resolve };
}

const namesIn = (folder: string): string[] => [...Deno.readDirSync(folder)].map(({ name }) => name);

Deno.test("NodeVersions fetches a version once for all callers", async () => {
  const { fetches, versions, open, folder } = await fetched();
  const both = Promise.all([binaryOf(versions, "22"), binaryOf(versions, "22")]);
  open();
  assert.deepEqual(await both, Array(2).fill(binaryIn(`${folder}/22`)));
  await binaryOf(versions, "22");
  assert.deepEqual(fetches, ["22"]);
  assert.deepEqual(await versions.list(), ["22"]);
});

Deno.test("NodeVersions reports the start and end of a fetch only if it fetches", async () => {
  const { versions, open } = await fetched();
  open();
  const said: string[] = [];
  const say = (message: string) => said.push(message);
  for (const user of ["dpl_1", "dpl_2"]) await versions.binary({ version: "22", user, say });
  assert.equal(said.length, 2);
  assert.equal(said[0], "Downloading Node 22 from npm: the platform's search path has none");
  assert.match(said[1]!, /^Downloaded Node 22\.9\.9 in \d+\.\d s, \d+ B$/);
});

Deno.test("NodeVersions leaves no files after a failed fetch and tries again", async () => {
  const { fetches, versions, open, folder } = await fetched({ fail: true });
  open();
  await assert.rejects(binaryOf(versions, "22"), /broken off/);
  assert.deepEqual(await versions.list(), []);
  assert.deepEqual(namesIn(`${folder}/incoming`), []);
  await assert.rejects(binaryOf(versions, "22"), /broken off/);
  assert.equal(fetches.length, 2);
});

Deno.test("NodeVersions removes leftovers of a killed platform", async () => {
  const { versions, open, folder } = await fetched();
  await writeNode(binaryIn(`${folder}/incoming/half`), "22.0.0");
  open();
  await binaryOf(versions, "22");
  assert.deepEqual(namesIn(`${folder}/incoming`), []);
});

Deno.test("NodeVersions refuses a package with another version, and versions that are too old", async () => {
  const { versions, open } = await fetched({ version: "21.0.0" });
  open();
  await assert.rejects(binaryOf(versions, "22"), /Cannot install Node 22 .* is 21\.0\.0/);
  await assert.rejects(binaryOf(versions, "12"), /Node 12 is too old/);
});

Deno.test("NodeVersions keeps only versions in use, even after a restart", async () => {
  const { versions, open, folder } = await fetched();
  open();
  for (const version of ["20", "22.1", "24"]) await binaryOf(versions, version, `of ${version}`);
  await binaryOf(versions, "24", "another");
  await versions.sweep((user) => user !== "of 20" && user !== "of 24");
  assert.deepEqual((await versions.list()).toSorted(), ["22.1", "24"]);
  const again = new NodeVersions({ folder, env: { PATH: "" } });
  await again.sweep((user) => user === "of 24");
  assert.deepEqual(await again.list(), ["24"]);
});

Deno.test("NodeVersions uses the machine's Node if its version matches", async () => {
  const own = await findNode(Deno.env.get("PATH") ?? "");
  assert.ok(own !== undefined, "the machine has a Node");
  const folder = await makeTestFolder("svc-node-versions-");
  const install = () => Promise.reject(new Error("nothing needs to be fetched"));
  const versions = new NodeVersions({ folder, env: Deno.env.toObject(), install });
  assert.equal(await binaryOf(versions, own.version), own.path);
  assert.equal(await binaryOf(versions, own.version.split(".")[0]!), own.path);
  await assert.rejects(binaryOf(versions, "999"), /nothing needs to be fetched/);
});

Deno.test("findNode() skips scripts and relative folders", async () => {
  const folder = await makeTestFolder("svc-node-shim-");
  await writeNode(`${folder}/node`, "24.0.0");
  assert.equal(await findNode(`${folder}:.:`), undefined);
});

Deno.test("installNode() names the version and the reason", async () => {
  const folder = await makeTestFolder("svc-node-install-");
  const env = Deno.env.toObject();
  await assert.rejects(
    installNode({ version: "24", folder, env: { ...env, PATH: folder } }),
    /Cannot install Node 24 \(npm package node-linux-\w+\): npm is missing\. Install Node 24/,
  );
  await assert.rejects(
    installNode({
      version: "24",
      folder,
      env: { ...env, npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" },
    }),
    /Cannot install Node 24 .*ECONNREFUSED/,
  );
});
