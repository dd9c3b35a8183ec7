/**
 * Pushes a repository with two apps and a package that both apps need. A push must build only the
 * apps that it changes.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { git } from "../../src/lib/_test_git.ts";
import { needs } from "../helpers/empty_root.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

/**
 * Returns the files of an app whose page contains the app's own text and output from the package.
 */
const app = (name: string) => ({
  [`apps/${name}/package.json`]: json({
    name,
    version: "1.0.0",
    private: true,
    dependencies: { "@shop/ui": "1.0.0" },
    scripts: { build: "mkdir -p dist && cat ../../packages/ui/made text > dist/index.html" },
  }),
  [`apps/${name}/text`]: `${name} 1`,
});

const FILES: Readonly<Record<string, string>> = {
  ".gitignore": "node_modules\ndist\nmade\n.svc\n",
  "package.json": json({
    name: "shop",
    version: "1.0.0",
    private: true,
    workspaces: ["apps/*", "packages/*"],
  }),
  "packages/ui/package.json": json({
    name: "@shop/ui",
    version: "1.0.0",
    scripts: { build: "printf 'ui %s, ' 1 > made" },
  }),
  ...app("web"),
  ...app("admin"),
};

const BUILD = "npm run build --workspace=@shop/ui --workspace=";

Deno.test({
  name: "a push to a monorepo builds only the apps that it changes",
  ...needs("git", "node", "npm"),
  fn: (t) => withSandbox((box) => pushMonorepo(t, box)),
});

async function pushMonorepo(t: Deno.TestContext, box: Sandbox): Promise<void> {
  const root = box.site;
  const write = async (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(root, path)), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
    }
  };
  await write(FILES);
  await git(root, "init", "--quiet", "--initial-branch=main");
  await box.start();

  /** Pushes a change. Returns git's output for each project. */
  const push = async (files: Readonly<Record<string, string>>) => {
    await write(files);
    await git(root, "add", "--all");
    await git(root, "commit", "--quiet", "--message", "Change");
    const { code, stderr } = await new Deno.Command("git", {
      args: ["-C", root, "push", "svc", "main"],
      env: { ...box.env, GIT_TERMINAL_PROMPT: "0" },
      clearEnv: true,
    }).output();
    const said = new TextDecoder().decode(stderr);
    assert.equal(code, 0, said);
    return said;
  };
  const expectPages = async (web: string, admin: string) => {
    const pages = await Promise.all(
      ["web", "admin"].map((name) => box.page(`shop-${name}.localhost`, "/")),
    );
    assert.deepEqual(pages.map(({ text }) => text), [web, admin]);
  };
  const live = (said: string) =>
    ["web", "admin"].filter((name) => said.includes(`live at http://shop-${name}.localhost`));

  await t.step("svc init in each app writes its build and root directory", async () => {
    for (const name of ["web", "admin"]) {
      box.site = join(root, "apps", name);
      const { project } = await box.json(["init", "--create", "--name", `shop-${name}`]);
      assert.equal((project as { rootDirectory: string }).rootDirectory, `apps/${name}`);
      const config = await Deno.readTextFile(join(box.site, "svc.toml"));
      assert.ok(config.includes(`command = "${BUILD}${name}"`), config);
      await box.json(["link", "--git-remote"]);
      // No code imports the package by name, so installing it would just take time.
      const settings = ["--install-command", "true"];
      await box.json(["projects", "update", `shop-${name}`, ...settings]);
    }
    box.site = root;
  });
  await t.step("the first push builds both apps", async () => {
    assert.deepEqual(live(await push({})), ["web", "admin"]);
    await expectPages("ui 1, web 1", "ui 1, admin 1");
  });
  await t.step("a change in one app builds only that app", async () => {
    const said = await push({ "apps/admin/text": "admin 2" });
    assert.deepEqual(live(said), ["admin"]);
    assert.match(said, /main was not built: Skipped: nothing changed since .* in apps\/web, pack/);
    await expectPages("ui 1, web 1", "ui 1, admin 2");
  });
  await t.step("a change to the shared package builds both apps", async () => {
    const ui = FILES["packages/ui/package.json"]!.replace("' 1 >", "' 2 >");
    assert.deepEqual(live(await push({ "packages/ui/package.json": ui })), ["web", "admin"]);
    await expectPages("ui 2, web 1", "ui 2, admin 2");
  });
  await t.step("a change to the root's lock file builds both apps", async () => {
    const lock = json({
      name: "shop",
      version: "1.0.0",
      lockfileVersion: 3,
      requires: true,
      packages: {
        "": { name: "shop", version: "1.0.0", workspaces: ["apps/*", "packages/*"] },
        ...Object.fromEntries(["web", "admin"].flatMap((name) => [
          [`apps/${name}`, { version: "1.0.0", dependencies: { "@shop/ui": "1.0.0" } }],
          [`node_modules/${name}`, { resolved: `apps/${name}`, link: true }],
        ])),
        "node_modules/@shop/ui": { resolved: "packages/ui", link: true },
        "packages/ui": { name: "@shop/ui", version: "1.0.0" },
      },
    });
    assert.deepEqual(live(await push({ "package-lock.json": lock })), ["web", "admin"]);
  });
  await t.step("a change to the root's README builds neither app", async () => {
    assert.deepEqual(live(await push({ "README.md": "Shop" })), []);
  });
}
