/** Tests which parts of the toolchains in a home directory a sandbox sees. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../lib/_test_folder.ts";
import { findToolchains } from "./find_toolchains.ts";
import { toolchainPlaces } from "./toolchain_places.ts";

async function writeProgram(path: string, script: string): Promise<void> {
  await Deno.mkdir(join(path, ".."), { recursive: true });
  await Deno.writeTextFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Creates a home folder with rustup's stand-in for Cargo, a Python from pyenv, and uv. */
async function inHome(
  test: (home: string, env: Readonly<Record<string, string>>) => Promise<void>,
): Promise<void> {
  await inTestFolder(async (folder) => {
    const home = await Deno.realPath(folder);
    const rust = join(home, ".rustup/toolchains/stable");
    const python = join(home, ".pyenv/versions/3.13.1");
    await Deno.mkdir(rust, { recursive: true });
    await Deno.mkdir(python, { recursive: true });
    await writeProgram(join(home, ".cargo/bin/cargo"), "echo cargo 1.95.0");
    await writeProgram(join(home, ".cargo/bin/rustc"), `echo ${rust}`);
    await writeProgram(join(home, ".pyenv/shims/python3"), `echo ${python}`);
    await writeProgram(join(home, ".local/bin/uv"), "echo uv 0.13.9");
    const path = [".cargo/bin", ".local/bin", ".pyenv/shims"].map((each) => join(home, each));
    await test(home, { HOME: home, PATH: [...path, "/usr/bin", "/bin"].join(":") });
  });
}

Deno.test("toolchainPlaces() exposes only a home folder's toolchains to builds", () =>
  inHome(async (home, env) => {
    const { toolchains, path } = await toolchainPlaces(env, { dataDir: "/data", builds: true });
    assert.deepEqual(toolchains.map((each) => each.replace(`${home}/`, "")), [
      ".rustup/toolchains/stable",
      ".local/bin/uv",
      ".pyenv/versions/3.13.1",
    ]);
    assert.deepEqual(path.map((each) => each.replace(`${home}/`, "")), [
      ".rustup/toolchains/stable/bin",
      ".local/bin",
      ".pyenv/versions/3.13.1/bin",
    ]);
  }));

Deno.test("toolchainPlaces() exposes only interpreters to servers", () =>
  inHome(async (home, env) => {
    const { toolchains } = await toolchainPlaces(env, { dataDir: "/data", builds: false });
    assert.deepEqual(toolchains, [join(home, ".pyenv/versions/3.13.1")]);
  }));

Deno.test("toolchainPlaces() exposes no folder that contains the platform's data or is inside it", () =>
  inHome(async (home, env) => {
    const python = join(home, ".pyenv/versions/3.13.1");
    for (const dataDir of [join(python, "data"), join(home, ".pyenv")]) {
      const { toolchains } = await toolchainPlaces(env, { dataDir, builds: false });
      assert.deepEqual(toolchains, []);
    }
  }));

Deno.test("findToolchains() treats a slow program as installed", () =>
  inTestFolder(async (folder) => {
    await writeProgram(join(folder, "go"), "exec sleep 60");
    await writeProgram(join(folder, "cargo"), "exit 1");
    const found = await findToolchains({ PATH: `${folder}:/usr/bin:/bin` }, ["go", "rust"], 300);
    assert.deepEqual(found.map(({ toolchain, version }) => [toolchain.id, version]), [
      ["go", undefined],
    ]);
  }));
