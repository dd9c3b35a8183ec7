import assert from "node:assert/strict";
import { buildVariables } from "./build_variables.ts";

const GIVEN = {
  PATH: "/usr/bin",
  HOME: "/build/home",
  TMPDIR: "/tmp",
  SVC_BRANCH: "main",
  https_proxy: "http://proxy:1",
  DENO_DIR: "/root/.cache/deno",
  SECRET_OF_THE_PLATFORM: "no",
};

const job = { cache: "/cache", variables: { NODE_OPTIONS: "--max-old-space-size=2048", A: "a" } };

Deno.test("buildVariables() passes on only the variables that a build needs", () => {
  const env = buildVariables(GIVEN, job, undefined);
  assert.equal(env.PATH, "/usr/bin");
  assert.equal(env.SVC_BRANCH, "main");
  assert.equal(env.https_proxy, "http://proxy:1");
  assert.equal(env.CI, "1");
  assert.equal(env.DENO_DIR, "/cache/deno");
  assert.equal(env.SECRET_OF_THE_PLATFORM, undefined);
  assert.equal(env.A, undefined);
});

Deno.test("buildVariables() keeps the caches of package managers in the project's own cache", () => {
  const env = buildVariables(GIVEN, job, undefined);
  const caches = Object.entries(env).filter(([, value]) => value.startsWith("/cache/"));
  assert.equal(new Set(caches.map(([, value]) => value)).size, caches.length);
  assert.equal(env.npm_config_cache, "/cache/npm");
});

Deno.test("buildVariables() puts the project's Node first, with its options", () => {
  const env = buildVariables(GIVEN, job, "/cache/node/22/bin");
  assert.equal(env.PATH, "/cache/node/22/bin:/usr/bin");
  assert.equal(env.NODE_OPTIONS, "--max-old-space-size=2048");
});
