import assert from "node:assert/strict";
import { join } from "node:path";
import { assembleProject } from "../pack_project.ts";
import { type TestProject, withTestProject } from "../_test_project.ts";
import { inEnvironment } from "../types.ts";
import { startRegistry, type TestRegistry } from "./_test_registry.ts";

/** A package manager that creates an output. */
const MANAGER = {
  "package.json": '{"bin":{"pnpm":"bin/pnpm.sh"}}',
  "bin/pnpm.sh": '#!/bin/sh\nmkdir -p dist node_modules\necho "$@" >>dist/index.html\n',
};

const project = (packageManager?: string) => ({
  "package.json": JSON.stringify({
    ...(packageManager === undefined ? {} : { packageManager }),
    dependencies: { left: "1" },
    scripts: { build: "unused" },
  }),
});

async function withRegistry(run: (registry: TestRegistry) => Promise<void>): Promise<void> {
  const registry = startRegistry();
  try {
    await run(registry);
  } finally {
    await registry.close();
  }
}

/** Runs a build with this registry and with no package manager other than npm. */
function build({ project, host }: TestProject, { url }: TestRegistry) {
  const env = { ...host.env, npm_config_registry: url, npm_config_cache: join(project, "../npm") };
  return assembleProject(inEnvironment(host, env), { directory: project, config: undefined });
}

Deno.test("assembleProject() fetches the package manager once, from the configured registry", async () => {
  await withRegistry(async (registry) => {
    const hex = await registry.publish("pnpm", "9.1.0", MANAGER);
    await withTestProject(project(`pnpm@9.1.0+sha512.${hex}`), async (test) => {
      await build(test, registry);
      const made = await Deno.readTextFile(join(test.project, "dist/index.html"));
      assert.equal(made, "install\nrun build\n");
      assert.ok(
        test.said.includes(
          "install info Using pnpm 9.1.0 from the npm registry (packageManager in package.json)",
        ),
        test.said.join("\n"),
      );
      const { length } = registry.asked;
      await Deno.remove(join(test.project, "node_modules"), { recursive: true });
      await build(test, registry);
      assert.equal(registry.asked.length, length);
      assert.ok(test.said.some((line) => line.includes("Using pnpm 9.1.0 from the cache")));
    });
  });
});

Deno.test("assembleProject() refuses a package manager whose hash differs from package.json", async () => {
  await withRegistry(async (registry) => {
    await registry.publish("pnpm", "9.1.0", MANAGER);
    const hash = "0".repeat(128);
    await withTestProject(project(`pnpm@9.1.0+sha512.${hash}`), async (test) => {
      await assert.rejects(
        build(test, registry),
        /"packageManager" requires the sha512 0+/,
      );
      const kept = await Array.fromAsync(
        Deno.readDir(join(test.project, "../tools/managers/pnpm")),
      );
      assert.deepEqual(kept, []);
    });
  });
});

Deno.test("assembleProject() uses a version that fits the lock file's format", async () => {
  await withRegistry(async (registry) => {
    for (const version of ["7.33.0", "8.15.9", "10.2.0"]) {
      await registry.publish("pnpm", version, MANAGER);
    }
    const files = { ...project(), "pnpm-lock.yaml": "lockfileVersion: '6.0'\n" };
    await withTestProject(files, async (test) => {
      await build(test, registry);
      assert.ok(test.said.some((line) => line.includes("Using pnpm 8.15.9")));
      const made = await Deno.readTextFile(join(test.project, "dist/index.html"));
      assert.match(made, /^install --frozen-lockfile\n/);
    });
  });
});

Deno.test("assembleProject() reports a registry's response if it lacks the version", async () => {
  await withRegistry(async (registry) => {
    await registry.publish("pnpm", "9.1.0", MANAGER);
    await withTestProject(project("pnpm@9.2.0"), async (test) => {
      await assert.rejects(build(test, registry), /^BuildError: Cannot download pnpm 9\.2\.0: /);
    });
  });
});

const OWN = {
  "bin/pnpm":
    '#!/bin/sh\n[ "$1" = --version ] && echo 9.1.0 && exit\nmkdir -p dist node_modules\n' +
    "echo own >>dist/index.html\n",
};

Deno.test("assembleProject() uses the machine's package manager if its version fits", async () => {
  await withTestProject({ ...project("pnpm@^9.0.0"), ...OWN }, async (test) => {
    await Deno.chmod(join(test.project, "bin/pnpm"), 0o755);
    const env = { ...test.host.env, PATH: `${test.project}/bin:${test.host.env.PATH}` };
    const options = { directory: test.project, config: undefined };
    await assembleProject(inEnvironment(test.host, env), options);
    assert.ok(
      test.said.includes(
        "install info Using pnpm 9.1.0 from PATH (packageManager in package.json)",
      ),
    );
  });
});

Deno.test("assembleProject() refuses a packageManager that cannot be read", async () => {
  await withTestProject(project("cargo@1.0.0"), async ({ host, project }) => {
    await assert.rejects(
      assembleProject(host, { directory: project, config: undefined }),
      /Write "packageManager" in package\.json/,
    );
  });
});

Deno.test("assembleProject() warns about lock files from two package managers", async () => {
  const files = {
    "package.json": '{"packageManager":"npm"}',
    "package-lock.json": "",
    "yarn.lock": "",
    "node_modules/.keep": "",
  };
  await withTestProject(files, async ({ host, project, said }) => {
    await assembleProject(host, {
      directory: project,
      config: undefined,
      buildCommand: "mkdir dist && touch dist/index.html",
    });
    assert.ok(
      said.some((line) => /using package-lock\.json, not yarn\.lock/.test(line)),
      said.join("\n"),
    );
  });
});
