/**
 * Deploys servers with popular npm packages. A deployed server must respond as it does under plain
 * Node. `PACKAGES` selects packages: `all` or comma-separated names.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { removeTree } from "../../src/lib/missing_files.ts";
import { hear } from "../../scripts/_process.ts";
import { buildsProjects, nodeVariables } from "../helpers/node_program.ts";
import { hostOf, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { askSide } from "./_likeness.ts";
import { withOwnStart } from "./_own_start.ts";
import { type PackageCase, readCases, writeCase, writeShared } from "./_packages.ts";

/**
 * Two special cases: a native addon whose name is computed, and a thread that is started from a
 * file.
 */
const USUAL = ["lightningcss", "pino"];

const PAGE = { path: "/" };

/**
 * Number of cases that share one installation. A server that starts programs is deployed with all
 * installed packages, and they can have at most 50,000 files.
 */
const CASES_PER_INSTALLATION = 40;

/** Replaces the installed packages with those of some cases. */
async function install(box: Sandbox, cases: readonly PackageCase[]): Promise<void> {
  await removeTree(join(box.site, "node_modules"));
  await writeShared(box.site, cases);
  const { code, stderr } = await hear(["npm", "install"], { cwd: box.site, env: box.env });
  assert.equal(code, 0, stderr);
}

/** Compares a server's responses under plain Node with its responses when it is deployed. */
async function checkCase(box: Sandbox, wanted: PackageCase): Promise<void> {
  await writeCase(box.site, wanted);
  const { urls } = await box.json(["deploy", "--prod"]);
  const live = await box.page(hostOf((urls as Record<string, string>).production), PAGE.path);
  await withOwnStart(
    { folder: box.site, start: "node server.js", env: box.env },
    async (side) => {
      const own = await askSide(side, PAGE);
      assert.equal(own.status, 200, own.text);
      assert.deepEqual([live.status, live.text], [own.status, own.text]);
    },
  );
}

Deno.test({
  name: "servers with npm packages behave as they do on plain Node",
  ignore: !buildsProjects,
  fn: (t) =>
    withSandbox(async (box) => {
      const cases = readCases(Deno.env.get("PACKAGES") || undefined, USUAL);
      Object.assign(box.env, await nodeVariables(box.env.PATH ?? ""));
      await box.start();
      await writeCase(box.site, cases[0]!);
      await box.json(["init", "--create", "--name", "packages"]);
      for (let at = 0; at < cases.length; at += CASES_PER_INSTALLATION) {
        const group = cases.slice(at, at + CASES_PER_INSTALLATION);
        await install(box, group);
        for (const each of group) await t.step(each.name, () => checkCase(box, each));
      }
    }),
});
