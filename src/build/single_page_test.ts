import assert from "node:assert/strict";
import { parseProjectConfig } from "../config/project_config.ts";
import type { Manifest } from "../manifest/mod.ts";
import { type TestFiles, withTestProject } from "./_test_project.ts";
import { BuildError } from "./build_error.ts";
import { assembleProject } from "./pack_project.ts";

const PLAIN = { "index.html": "home" };
const VITE = {
  "package.json": '{"devDependencies":{"vite":"7.0.0"}}',
  "dist/index.html": "app",
};
const OWN_404 = { ...VITE, "dist/404.html": "" };
const WRITTEN = {
  ...VITE,
  "dist/.svc/manifest.json": JSON.stringify({
    version: 1,
    layers: [{ name: "app", target: "STATIC", directory: ".", fallback: "index.html" }],
    routes: [{ pattern: "^/", layer: "app" }],
  }),
};
const OFF = "Serves index.html for unknown paths. To turn this off, set [static] spa = false";

/** The files, `svc.toml`, the manifest's fallback, and the log message of each case. */
const ROWS: Readonly<
  Record<string, readonly [TestFiles, string, string | undefined, string | undefined]>
> = {
  "an app": [VITE, "", "index.html", OFF],
  "an app with spa = false": [VITE, "[static]\nspa = false\n", undefined, undefined],
  "an app with spa = true": [
    VITE,
    "[static]\nspa = true\n",
    "index.html",
    "Serves index.html for unknown paths",
  ],
  "an app with its own 404 page": [
    OWN_404,
    "",
    undefined,
    "Serves 404.html for unknown paths: set [static] spa = true to serve index.html instead",
  ],
  "an app with its own 404 page and spa = true": [
    OWN_404,
    "[static]\nspa = true\n",
    "index.html",
    "Serves index.html for unknown paths",
  ],
  "plain files": [PLAIN, "", undefined, undefined],
  "plain files with spa = true": [
    PLAIN,
    "[static]\nspa = true\n",
    "index.html",
    "Serves index.html for unknown paths",
  ],
  "a written manifest": [WRITTEN, "", "index.html", OFF],
  "a written manifest with spa = false": [
    WRITTEN,
    "[static]\nspa = false\n",
    undefined,
    undefined,
  ],
};

for (const [name, [files, toml, fallback, said]] of Object.entries(ROWS)) {
  Deno.test(`assembleProject() chooses the response to unknown paths for ${name}`, async () => {
    await withTestProject(files, async (test) => {
      const { config } = parseProjectConfig(toml);
      const { manifest } = await assembleProject(test.host, {
        directory: test.project,
        config,
        skipBuild: true,
      });
      const [layer] = (manifest as Manifest).layers;
      assert.ok(layer?.target === "STATIC");
      assert.equal(layer.fallback, fallback);
      assert.deepEqual(
        test.said.filter((line) => line.includes("unknown paths")),
        said === undefined ? [] : [`build info ${said}`],
      );
    });
  });
}

Deno.test("assembleProject() refuses spa = true if there is no page", async () => {
  const { config } = parseProjectConfig("[build]\nstatic = true\n[static]\nspa = true\n");
  await withTestProject({ "dist/a.txt": "a" }, async (test) => {
    const options = { directory: test.project, config, skipBuild: true };
    await assert.rejects(assembleProject(test.host, options), (error) => {
      assert.ok(error instanceof BuildError);
      assert.equal(error.message, "Cannot find index.html, which [static] spa needs");
      return true;
    });
  });
});
