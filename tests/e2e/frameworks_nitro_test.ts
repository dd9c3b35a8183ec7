/** A Nitro project, deployed with nothing configured but a rule for its assets. */
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
  name: "a Nitro project is built and its server answers",
  ignore: !canInstall,
  async fn() {
    await withSandbox(async (box) => {
      const project = await deployFramework(box, "nitro");
      assert.deepEqual(layersOf(project), { public: "STATIC", server: "COMPUTE" });
      await checkProject(project);
      await checkImmutable(project, {
        page: "/",
        pattern: /\/assets\/[\w.-]+\.css/,
        missing: "/assets/style.00000000.css",
      });
    });
  },
});
