import assert from "node:assert/strict";
import { join } from "node:path";
import { parseProjectConfig } from "../../config/project_config.ts";
import { detectProject } from "../../manifest/mod.ts";
import { type TestFiles, withTestProject } from "../_test_project.ts";
import { createFolderReader } from "../folder_reader.ts";
import { assembleProject } from "../pack_project.ts";
import { workspaceBuild } from "./workspace_build.ts";

const json = (value: unknown) => JSON.stringify(value);
const build = { build: "true" };

const WORKSPACE = { private: true, workspaces: ["apps/*", "packages/*"] };
const FILES = {
  "package.json": json(WORKSPACE),
  "packages/ui/package.json": json({
    name: "@shop/ui",
    scripts: build,
    dependencies: { "@shop/base": "*" },
  }),
  "packages/base/package.json": json({ name: "@shop/base", scripts: build }),
  "packages/types/package.json": json({ name: "@shop/types" }),
  "apps/web/package.json": json({
    name: "web",
    scripts: build,
    dependencies: { "@shop/ui": "*", "@shop/types": "*" },
  }),
  "apps/docs/package.json": json({ name: "docs", scripts: build }),
};
const withRoot = (more: object): TestFiles => ({
  ...FILES,
  "package.json": json({ ...WORKSPACE, ...more }),
});
const TURBO = withRoot({ devDependencies: { turbo: "2" } });

/** The workspace's files, the app's folder, and the command that builds the app. */
const ROWS: Readonly<Record<string, readonly [TestFiles, string, string | undefined]>> = {
  npm: [
    FILES,
    "apps/web",
    "npm run build --workspace=@shop/base --workspace=@shop/ui --workspace=web",
  ],
  pnpm: [
    {
      ...FILES,
      "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - packages/*\n",
      "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    },
    "apps/web",
    "pnpm --filter=web... run build",
  ],
  Yarn: [
    { ...FILES, "yarn.lock": "" },
    "apps/web",
    "yarn workspace @shop/base run build && yarn workspace @shop/ui run build && " +
    "yarn workspace web run build",
  ],
  Bun: [
    { ...FILES, "bun.lock": "{}" },
    "apps/web",
    "bun run --filter=@shop/base build && bun run --filter=@shop/ui build && " +
    "bun run --filter=web build",
  ],
  "Turborepo with npm": [
    { ...TURBO, "turbo.json": "{}" },
    "apps/web",
    "npx turbo run build --filter=web...",
  ],
  "Turborepo with pnpm": [
    {
      ...TURBO,
      "turbo.json": "{}",
      "pnpm-workspace.yaml": "packages:\n  - apps/*\n  - packages/*\n",
      "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
    },
    "apps/docs",
    "pnpm -w exec turbo run build --filter=docs...",
  ],
  "Turborepo with a new Yarn": [
    {
      ...withRoot({ devDependencies: { turbo: "2" }, packageManager: "yarn@4.5.0" }),
      "turbo.json": "{}",
    },
    "apps/web",
    "yarn run -T turbo run build --filter=web...",
  ],
  "Turborepo that is not installed": [
    { ...FILES, "turbo.json": "{}" },
    "apps/docs",
    undefined,
  ],
  "Nx": [
    {
      ...withRoot({ devDependencies: { nx: "21" } }),
      "nx.json": "{}",
      "apps/web/project.json": '{ "name": "shop-web" }',
    },
    "apps/web",
    "npx nx run shop-web:build",
  ],
  "an app without dependencies in the workspace": [FILES, "apps/docs", undefined],
  "the root itself": [FILES, "", undefined],
  "a folder that is not a member": [
    { ...FILES, "tools/a/package.json": json({ name: "a", scripts: build }) },
    "tools/a",
    undefined,
  ],
  "a name with shell special characters": [
    {
      ...FILES,
      "apps/web/package.json": json({
        name: "web;id",
        scripts: build,
        dependencies: { "@shop/ui": "*" },
      }),
    },
    "apps/web",
    undefined,
  ],
};

for (const [name, [files, app, expected]] of Object.entries(ROWS)) {
  Deno.test(`workspaceBuild() returns the build command for an app: ${name}`, async () => {
    await withTestProject(files, async ({ project }) => {
      const directory = join(project, app);
      const detected = await detectProject(createFolderReader(directory));
      assert.equal(await workspaceBuild(directory, detected), expected);
    });
  });
}

Deno.test("assembleProject() builds an app's dependencies if svc.toml has the app's own script", async () => {
  const files = {
    ...FILES,
    "node_modules/.keep": "",
    "packages/ui/package.json": json({
      name: "@shop/ui",
      version: "1.0.0",
      scripts: { build: "printf built > made" },
    }),
    "apps/web/package.json": json({
      name: "web",
      dependencies: { "@shop/ui": "*" },
      scripts: { build: "mkdir -p dist && cp ../../packages/ui/made dist/index.html" },
    }),
  };
  const { config } = parseProjectConfig('[build]\ncommand = "npm run build"\n');
  await withTestProject(files, async ({ host, project }) => {
    const { output } = await assembleProject(host, {
      directory: join(project, "apps/web"),
      config,
    });
    assert.equal(await Deno.readTextFile(join(output, "index.html")), "built");
  });
});
