/** Deploys a Nuxt project without configuration. */
import assert from "node:assert/strict";
import { type DeployedProject, testFramework } from "../helpers/frameworks.ts";
import { checkKept } from "../helpers/kept_answers.ts";

interface Route {
  readonly pattern: string;
  readonly layer: string;
  readonly revalidate?: number;
}

/** Checks the behavior that `routeRules` in the config specifies. */
async function checkRouteRules(project: DeployedProject): Promise<void> {
  const { ask, manifest } = project;
  const routes = manifest.routes as readonly Route[];
  assert.deepEqual(
    routes.filter(({ revalidate }) => revalidate !== undefined).map(({ pattern, revalidate }) => [
      pattern,
      revalidate,
    ]),
    [["^/isr(?:/.*)?$", 600]],
  );

  await checkKept(project, "/isr/a");
  const isr = await ask("/isr/a", { headers: { cookie: "visitor=dot" } });
  assert.equal(
    JSON.parse(isr.text).cookie,
    null,
    "the page is generated without a visitor's cookies",
  );
  assert.equal((await ask("/revalidate")).text, "revalidated");
  const next = await ask("/isr/a");
  assert.equal(next.headers["x-svc-cache"], "MISS");
  assert.notEqual(next.text, isr.text);

  await checkKept(project, "/swr/now");

  const headed = await ask("/headed/page");
  assert.deepEqual(
    [headed.text, headed.headers["x-headed"], headed.headers["access-control-allow-origin"]],
    ["headed", "yes", "*"],
  );
  const moved = await ask("/moved/notice.txt");
  assert.deepEqual([moved.status, moved.headers.location], [307, "/about"]);
}

testFramework("nuxt", {
  title: "Nuxt",
  layers: { public: "STATIC", server: "COMPUTE" },
  assets: {
    page: "/",
    pattern: /\/_nuxt\/[\w.-]+\.js/,
    missing: "/_nuxt/Abcd1234.js",
  },
  also: checkRouteRules,
});
