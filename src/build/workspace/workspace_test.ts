import assert from "node:assert/strict";
import { join } from "node:path";
import { BuildError } from "../build_error.ts";
import { assembleProject, packProject } from "../pack_project.ts";
import { type TestProject, withTestProject } from "../_test_project.ts";
import { neededBy, readMembers } from "./members.ts";

const json = (value: unknown) => JSON.stringify(value);

/** A script that builds a page from the output of the app's dependencies. */
const page = "mkdir -p dist && cat ../../packages/*/made > dist/index.html";
const made = (name: string) => `test -z "$MADE_FAIL" && printf ${name} > made`;

const ROOT = {
  "package.json": json({ private: true, workspaces: ["apps/*", "packages/*"] }),
  "package-lock.json": "{}",
  "node_modules/.keep": "",
};
const LIBRARIES = {
  "packages/ui/package.json": json({
    name: "@shop/ui",
    version: "1.0.0",
    dependencies: { "@shop/base": "*" },
    scripts: { build: `test -f ../base/made && ${made("ui")}` },
  }),
  "packages/base/package.json": json({
    name: "@shop/base",
    version: "1.0.0",
    scripts: { build: made("base") },
  }),
  "packages/unused/package.json": json({ name: "@shop/unused", scripts: { build: "exit 9" } }),
};
const WEB = {
  "apps/web/package.json": json({
    name: "web",
    dependencies: { "@shop/ui": "*" },
    scripts: { build: page },
  }),
  "apps/web/svc.toml": "",
};
const SHOP = { ...ROOT, ...LIBRARIES, ...WEB };
const DOCS = {
  "apps/docs/package.json": json({ name: "docs", devDependencies: { vitepress: "1" } }),
};

const at = ({ project }: TestProject, path = "") => ({
  directory: join(project, path),
  config: undefined,
});

Deno.test("readMembers() lists the packages in a workspace and no other folders", async () => {
  const files = { ...SHOP, "packages/notes/readme.md": "", "tools/cli/package.json": "{}" };
  await withTestProject(files, async ({ project }) => {
    const members = await readMembers(project) ?? [];
    assert.deepEqual(members.map(({ path }) => path), [
      "apps/web",
      "packages/base",
      "packages/ui",
      "packages/unused",
    ]);
    assert.deepEqual(neededBy(members, "apps/web").map(({ path }) => path), [
      "packages/base",
      "packages/ui",
    ]);
    assert.equal(await readMembers(join(project, "apps/web")), undefined);
  });
});

Deno.test("neededBy() stops at packages that depend on each other", () => {
  const member = (name: string, needs: string[]) => ({
    path: name,
    name,
    dependencies: new Set(needs),
    scripts: new Map(),
  });
  const members = [member("a", ["b"]), member("b", ["c"]), member("c", ["b", "a"])];
  assert.deepEqual(neededBy(members, "a").map(({ path }) => path), ["c", "b"]);
});

Deno.test("assembleProject() first builds the workspace packages that an app needs", async () => {
  for (const folder of ["", "apps/web"]) {
    await withTestProject(SHOP, async (test) => {
      const built = await assembleProject(test.host, at(test, folder));
      assert.equal(built.output, join(test.project, "apps/web/dist"));
      assert.equal(await Deno.readTextFile(join(built.output, "index.html")), "baseui");
      assert.ok(
        test.said.includes(
          "build info First building 2 packages that apps/web depends on: " +
            "packages/base, packages/ui",
        ),
      );
      assert.equal(
        test.said.includes(
          "detect info Using apps/web (svc.toml): the only app in this workspace",
        ),
        folder === "",
      );
    });
  }
});

Deno.test("assembleProject() runs only the configured build command if there is one", async () => {
  await withTestProject(SHOP, async (test) => {
    await assembleProject(test.host, {
      ...at(test, "apps/web"),
      buildCommand: "mkdir dist && touch dist/index.html",
    });
    assert.deepEqual(test.said.filter((line) => line.includes("Running")), [
      "build info Running mkdir dist && touch dist/index.html",
    ]);
  });
});

Deno.test("assembleProject() names the apps if a workspace has several", async () => {
  await withTestProject({ ...SHOP, ...DOCS }, async (test) => {
    await assert.rejects(assembleProject(test.host, at(test)), (error) => {
      assert.ok(error instanceof BuildError);
      assert.equal(error.code, "app_undecided");
      assert.equal(
        error.message,
        "Choose the app to deploy: this folder is a workspace with 2 apps\n" +
          "  apps/docs (VitePress)\n  apps/web (svc.toml)",
      );
      assert.match(error.facts.hint ?? "", /svc deploy apps\/docs.*--root-directory apps\/docs/);
      return true;
    });
    const standing = join(test.project, "apps/web/src");
    const built = await assembleProject(test.host, { ...at(test), standing });
    assert.equal(built.output, join(test.project, "apps/web/dist"));
  });
});

Deno.test("assembleProject() installs packages in the root of a workspace, without NODE_ENV", async () => {
  const files = { ...SHOP, "svc-install": "" };
  await withTestProject(files, async (test) => {
    await Deno.remove(join(test.project, "node_modules"), { recursive: true });
    await Deno.remove(join(test.project, "package-lock.json"));
    await Deno.writeTextFile(
      join(test.project, "package.json"),
      json({
        private: true,
        workspaces: ["apps/*", "packages/*"],
        scripts: { postinstall: 'printf "%s" "[$NODE_ENV]" > installed' },
      }),
    );
    await assembleProject(test.host, {
      ...at(test, "apps/web"),
      variables: () => Promise.resolve({ NODE_ENV: "production" }),
    });
    assert.equal(await Deno.readTextFile(join(test.project, "installed")), "[]");
    assert.ok(
      test.said.includes(
        "install info Installing packages for the workspace: node_modules is missing",
      ),
    );
  });
});

const LOCAL = {
  "package.json": json({ dependencies: { greet: "file:./greet" } }),
  "greet/package.json": json({ name: "greet", version: "1.0.0", main: "index.js" }),
  "greet/index.js": "module.exports = () => 'hi';",
};

Deno.test("assembleProject() installs packages for a project without a build script", async () => {
  await withTestProject({ ...LOCAL, "index.html": "" }, async (test) => {
    await assembleProject(test.host, at(test)).catch(() => {});
    assert.ok((await Deno.stat(join(test.project, "node_modules/greet"))).isDirectory);
  });
});

Deno.test("assembleProject() does not install packages if there is nothing to build", async () => {
  const files = {
    "package.json": json({ devDependencies: { prettier: "3" } }),
    "index.html": "",
  };
  await withTestProject(files, async (test) => {
    await assembleProject(test.host, at(test));
    assert.deepEqual(test.said.filter((line) => line.startsWith("install")), []);
  });
});

const RULES = `schemaVersion = "EDGE_RULE_SET_V1"

[[rules]]
id = "keep-notes-private"
condition.path = { type = "prefix", value = "/notes/" }
action = { type = "deny" }
`;

Deno.test("packProject() uses rules and functions next to svc.toml", async () => {
  const { "apps/web/svc.toml": _, ...web } = WEB;
  const start = {
    "apps/web/package.json": web["apps/web/package.json"].replace(
      '"scripts":{',
      '"scripts":{"start":"node x",',
    ),
  };
  const files = { ...ROOT, ...LIBRARIES, ...start, "svc.rules.toml": RULES };
  await withTestProject(files, async (test) => {
    const pack = await packProject(test.host, at(test));
    assert.equal(pack.rules?.rules[0]?.id, "keep-notes-private");
    assert.equal(pack.home, test.project);
  });
  await withTestProject({ ...SHOP, "apps/web/svc.rules.toml": RULES }, async (test) => {
    const pack = await packProject(test.host, at(test));
    assert.equal(pack.home, join(test.project, "apps/web"));
    assert.equal(pack.rules?.rules.length, 1);
  });
});
