import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestProject, withTestProject } from "../_test_project.ts";
import { assembleProject } from "../pack_project.ts";
import { inEnvironment } from "../types.ts";
import { startRegistry, type TestRegistry } from "./_test_registry.ts";
import { missingPlatformPackages } from "./missing_platform_packages.ts";

const SYSTEM = { os: "linux", cpu: "x64" };
const LINUX = { os: ["linux"], cpu: ["x64"], optional: true, version: "1.0.0" };

const lockOf = (packages: Readonly<Record<string, unknown>>) => ({
  "package-lock.json": JSON.stringify({ lockfileVersion: 3, packages }),
});

const ROWS: readonly (readonly [
  title: string,
  files: Readonly<Record<string, string>>,
  expected: readonly string[],
])[] = [
  ["a package that is not installed", lockOf({ "node_modules/@a/linux": LINUX }), [
    "@a/linux@1.0.0",
  ]],
  ["no package that is installed", {
    ...lockOf({ "node_modules/@a/linux": LINUX }),
    "node_modules/@a/linux/package.json": "{}",
  }, []],
  [
    "no package for other systems",
    lockOf({
      "node_modules/mac": { ...LINUX, os: ["darwin"] },
      "node_modules/arm": { ...LINUX, cpu: ["arm64"] },
      "node_modules/musl": { ...LINUX, libc: ["musl"] },
      "node_modules/other": { ...LINUX, os: ["!linux"] },
      "node_modules/any": { optional: true, version: "1.0.0" },
    }),
    [],
  ],
  [
    "a package that the lock file lacks",
    {
      ...lockOf({
        "node_modules/a/node_modules/tool": {
          optionalDependencies: { "tool-linux-x64-gnu": "2.0.0", "tool-darwin-arm64": "2.0.0" },
        },
        "/node_modules/b": { optionalDependencies: { "b-linux-x64": "1.0.0" } },
      }),
      "node_modules/a/node_modules/tool/package.json": "{}",
    },
    ["tool-linux-x64-gnu@2.0.0"],
  ],
  [
    "no names that npm does not accept",
    lockOf({ "node_modules/\u001b[2Jevil": LINUX, "node_modules/a": { ...LINUX, version: "\n" } }),
    [],
  ],
  ["nothing if the project omits optional packages", {
    ...lockOf({ "node_modules/@a/linux": LINUX }),
    ".npmrc": "fund=false\nomit = dev, optional\n",
  }, []],
  ["nothing without a lock file", {}, []],
  ["nothing with a damaged lock file", { "package-lock.json": "{" }, []],
];

for (const [title, files, expected] of ROWS) {
  Deno.test(`missingPlatformPackages() finds ${title}`, async () => {
    await withTestProject(files, async ({ project }) => {
      assert.deepEqual(await missingPlatformPackages(project, SYSTEM), expected);
    });
  });
}

/** Publishes a tool whose program for this system is in a separate package. */
async function publishTool(registry: TestRegistry): Promise<string> {
  const system = `tool-${process.platform}-${process.arch}`;
  await registry.publish(system, "1.0.0", {
    "package.json": JSON.stringify({ os: [process.platform], cpu: [process.arch] }),
  });
  await registry.publish("tool", "1.0.0", {
    "package.json": JSON.stringify({ optionalDependencies: { [system]: "1.0.0" } }),
  });
  return system;
}

const PROJECT = {
  "package.json": JSON.stringify({
    dependencies: { tool: "1.0.0" },
    scripts: { build: "mkdir -p dist && ls node_modules >dist/index.html" },
  }),
};

function build({ project, host }: TestProject, { url }: TestRegistry) {
  const env = { ...host.env, npm_config_registry: url, npm_config_cache: join(project, "../npm") };
  return assembleProject(inEnvironment(host, env), { directory: project, config: undefined });
}

Deno.test("assembleProject() installs again if npm skipped a program for this system", async () => {
  const registry = startRegistry();
  try {
    const system = await publishTool(registry);
    registry.failOnce(`${system}/-/1.0.0.tgz`);
    await withTestProject(PROJECT, async (test) => {
      await build(test, registry);
      const installed = await Deno.readTextFile(join(test.project, "dist/index.html"));
      assert.equal(installed, `tool\n${system}\n`);
      const warning = `install warn npm skipped ${system}@1.0.0, which this system needs.`;
      assert.ok(test.said.some((line) => line.startsWith(warning)), test.said.join("\n"));
    });
  } finally {
    await registry.close();
  }
});

Deno.test("assembleProject() names a program for this system that the registry lacks", async () => {
  const registry = startRegistry();
  try {
    const system = await publishTool(registry);
    registry.unpublish(system);
    await withTestProject(PROJECT, async (test) => {
      await build(test, registry);
      const warning = `install warn npm skipped ${system}@1.0.0 again: code that needs it`;
      assert.ok(test.said.some((line) => line.startsWith(warning)), test.said.join("\n"));
    });
  } finally {
    await registry.close();
  }
});
