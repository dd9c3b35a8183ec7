/** An Astro project with pages on request, deployed with nothing configured. */
import assert from "node:assert/strict";
import {
  canInstall,
  checkImmutable,
  checkProject,
  deployFramework,
  layersOf,
} from "./_frameworks.ts";
import { withSandbox } from "./_sandbox.ts";

Deno.test({
  name: "an Astro project is built and its server answers",
  ignore: !canInstall,
  async fn() {
    await withSandbox(async (box) => {
      const project = await deployFramework(box, "astro");
      assert.deepEqual(layersOf(project), { client: "STATIC", server: "COMPUTE" });
      await checkProject(project);
      await checkImmutable(project, {
        page: "/about",
        pattern: /\/_astro\/[\w.-]+\.css/,
        missing: "/_astro/page.Abcd1234.css",
      });
    });
  },
});
