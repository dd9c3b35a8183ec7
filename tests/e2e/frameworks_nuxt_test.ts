/** A Nuxt project, deployed with nothing configured. */
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
  name: "a Nuxt project is built and its server answers",
  ignore: !canInstall,
  async fn() {
    await withSandbox(async (box) => {
      const project = await deployFramework(box, "nuxt");
      assert.deepEqual(layersOf(project), { public: "STATIC", server: "COMPUTE" });
      await checkProject(project);
      await checkImmutable(project, {
        page: "/",
        pattern: /\/_nuxt\/[\w.-]+\.js/,
        missing: "/_nuxt/Abcd1234.js",
      });
    });
  },
});
