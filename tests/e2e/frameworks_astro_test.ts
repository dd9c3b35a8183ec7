/** Deploys an Astro project with pages rendered on request, without configuration. */
import assert from "node:assert/strict";
import { testFramework } from "../helpers/frameworks.ts";
import { checkKept } from "../helpers/kept_answers.ts";

testFramework("astro", {
  title: "Astro",
  layers: { client: "STATIC", server: "COMPUTE" },
  assets: {
    page: "/about/",
    pattern: /\/_astro\/[\w.-]+\.css/,
    missing: "/_astro/page.Abcd1234.css",
  },
  async also(project) {
    await checkKept(project, "/shared");
    // Astro's own route caching, with a five-line provider.
    await checkKept(project, "/cached");
    assert.equal((await project.ask("/api/invalidate")).text, "invalidated");
    assert.equal((await project.ask("/cached")).headers["x-svc-cache"], "MISS");
    assert.equal((await project.ask("/shared")).headers["x-svc-cache"], "HIT");
  },
});
