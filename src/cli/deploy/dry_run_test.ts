import assert from "node:assert/strict";
import { type Bench, withPlatform } from "../_test_platform.ts";
import { personWho } from "../_test_run.ts";

/** Runs a deploy and its dry run, which must fail with the same error, and returns that error. */
async function sameRefusal(bench: Bench, argv: readonly string[], wanted: RegExp) {
  const told = async (more: readonly string[]) => {
    const { code, stdout } = await bench.run(["deploy", ...argv, ...more, "--json"]);
    const { error, code: name } = JSON.parse(stdout);
    return { exit: code, name, error };
  };
  const dry = await told(["--dry-run"]);
  assert.match(dry.error, wanted);
  assert.notEqual(dry.exit, 0);
  assert.deepEqual(dry, await told([]));
}

Deno.test("deploy --dry-run runs the same checks as a deploy, here and on the platform", async (t) => {
  await withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await t.step(
      "a branch that the platform refuses",
      () => sameRefusal(bench, ["--branch", "-bad"], /^Invalid --branch: /),
    );
    await t.step(
      "a missing environment",
      () => sameRefusal(bench, ["--environment", "stagin"], /has no environment "stagin"/),
    );
    await t.step(
      "a missing project",
      () => sameRefusal(bench, ["--project-id", "none"], /platform has no project "none"/),
    );
    await t.step("variables that are not set", async () => {
      const source = await bench.read("svc.toml");
      await bench.write("svc.toml", `${source}\n[env.declarations]\nKEY = "plain"\n`);
      await sameRefusal(bench, [], /Variables required by svc.toml are missing/);
      await bench.write("svc.toml", source);
    });
    await t.step("invalid rules", async () => {
      await bench.write("svc.rules.toml", 'schemaVersion = "NONE"\n');
      await sameRefusal(bench, [], /svc\.rules\.toml/);
      await Deno.remove(`${bench.site}/svc.rules.toml`);
    });
    await t.step("a dry run counts a valid project's files, and creates nothing", async () => {
      const told = await bench.json(["deploy", "--prod", "--dry-run"]);
      assert.equal(told.missing, 1);
      assert.equal(told.environment, "production");
      const { deployments } = await bench.json(["deployments", "list"]);
      assert.deepEqual(deployments, []);
    });
  });
});

Deno.test("deploy --dry-run and build show a server's engine, and the reason for it", () =>
  withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const manifest = {
      version: 1,
      layers: [{ name: "api", target: "COMPUTE", directory: "api", entry: "api/index.mjs" }],
      routes: [{ pattern: "^/", layer: "api" }],
    };
    for (const folder of [".svc", "api"]) {
      await Deno.mkdir(`${bench.site}/dist/${folder}`, { recursive: true });
    }
    await bench.write("dist/.svc/manifest.json", JSON.stringify(manifest));
    await bench.write("dist/api/index.mjs", "export default (name) => import(name);");
    await bench.write("package.json", '{"engines":{"node":"22"}}');
    const source = await bench.read("svc.toml");
    await bench.write(
      "svc.toml",
      `${source}\n[build]\noutput_dirs = ["dist"]\ntmp_mb = 9\n[server]\nmemory_mb = 512\n`,
    );
    const server = {
      layer: "api",
      entry: "api/index.mjs",
      engine: "node",
      nodeVersion: "22",
      reason: "the project has a package.json",
      packages: { count: 0, files: 0, bytes: 0 },
    };
    for (const argv of [["build"], ["deploy", "--prod", "--dry-run"]]) {
      const told = await bench.json(argv);
      assert.deepEqual(told.servers, [server]);
      const { layers: [layer] } = told.manifest as typeof manifest & {
        layers: { runtime: unknown }[];
      };
      assert.deepEqual(layer?.runtime, {
        engine: "node",
        nodeVersion: "22",
        tmpMb: 9,
        memoryMb: 512,
      });
    }
  }));

Deno.test("deploy --dry-run creates no project, and does not ask for one", () =>
  withPlatform(async (bench) => {
    const run = await bench.run(["deploy", "--dry-run"], { prompter: personWho([]) });
    assert.equal(run.code, 1);
    assert.match(run.stderr, /svc projects create --name my-site --link/);
    assert.deepEqual((await bench.json(["projects", "list"])).projects, []);
  }));
