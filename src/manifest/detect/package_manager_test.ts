import assert from "node:assert/strict";
import { detectProject } from "./detect_project.ts";
import { usualVersion } from "./package_manager.ts";

type Files = Readonly<Record<string, string>>;

const reader = (files: Files, directory = "/code/shop/apps/web") => ({
  directory,
  readText: (path: string) => Promise.resolve(files[path]),
  exists: (path: string) => Promise.resolve(files[path] !== undefined),
});

const detect = (files: Files) => detectProject(reader(files));

Deno.test("detectProject() prefers packageManager to lock files, and reports the lock files", async () => {
  const { manager } = await detect({
    "package.json": '{"packageManager":"yarn@4.5.0"}',
    "yarn.lock": "",
    "package-lock.json": "",
    "pnpm-lock.yaml": "",
  });
  assert.equal(manager?.name, "yarn");
  assert.equal(manager.lockFile, "yarn.lock");
  assert.deepEqual(manager.otherLockFiles, ["pnpm-lock.yaml", "package-lock.json"]);
});

Deno.test("detectProject() uses one lock file, and reports others except deno.lock", async () => {
  const files = { "package.json": "{}", "package-lock.json": "", "deno.lock": "" };
  const { manager } = await detect(files);
  assert.deepEqual([manager?.name, manager?.otherLockFiles], ["npm", []]);
  const both = await detect({ ...files, "bun.lockb": "", "bun.lock": "" });
  assert.equal(both.manager?.lockFile, "bun.lock");
  assert.deepEqual(both.manager?.otherLockFiles, ["package-lock.json"]);
});

Deno.test("detectProject() uses the workspace root's package manager", async () => {
  const files = {
    "package.json": "{}",
    "../../package.json": '{"packageManager":"pnpm@9.1.0"}',
    "../../pnpm-workspace.yaml": "packages: ['apps/*']",
    "../../pnpm-lock.yaml": "",
    "package-lock.json": "",
  };
  const { manager, installsIn, installCommand, packages } = await detect(files);
  assert.deepEqual([manager?.name, manager?.version], ["pnpm", "9.1.0"]);
  assert.equal(manager?.lockFile, "../../pnpm-lock.yaml");
  assert.equal(installsIn, "../../");
  assert.equal(installCommand, "pnpm install --frozen-lockfile");
  assert.equal(packages, "build");
});

Deno.test("detectProject() ignores a folder that is not in its workspace", async () => {
  const files = {
    "package.json": '{"dependencies":{"express":"5"}}',
    "../../pnpm-workspace.yaml": "packages: ['libs/*']",
    "../../pnpm-lock.yaml": "",
  };
  const { manager, installsIn, packages } = await detect(files);
  assert.deepEqual([manager?.name, installsIn, packages], ["npm", "", "runtime"]);
});

Deno.test("detectProject() returns the problem with an invalid packageManager", async () => {
  const { manager } = await detect({ "package.json": '{"packageManager":"cargo@1"}' });
  assert.match(manager?.problem ?? "", /found "cargo@1"/);
});

const USUAL: readonly (readonly ["pnpm" | "yarn" | "bun", string, string])[] = [
  ["pnpm", "lockfileVersion: '9.0'\n", "10"],
  ["pnpm", "lockfileVersion: '6.0'\n", "8"],
  ["pnpm", "lockfileVersion: 5.4\n", "7"],
  ["pnpm", "lockfileVersion: 5.3\n", "6"],
  ["yarn", "# yarn lockfile v1\n", "1"],
  ["yarn", "__metadata:\n  version: 8\n", "4"],
  ["yarn", "__metadata:\n  version: 6\n", "3"],
  ["bun", "", "1"],
];

for (const [name, text, version] of USUAL) {
  Deno.test(`usualVersion() chooses ${name} ${version} for ${JSON.stringify(text)}`, async () => {
    const files = reader({ lock: text });
    assert.equal(await usualVersion(files, { name, lockFile: "lock" }), version);
  });
}

Deno.test("detectProject() lets Yarn 2 and later create a lock file, even if CI is set", async () => {
  const { installCommand } = await detect({ "package.json": '{"packageManager":"yarn@4.5.0"}' });
  assert.equal(installCommand, "yarn install --no-immutable");
});
