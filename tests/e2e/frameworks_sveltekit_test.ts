/** A SvelteKit project with adapter-node, deployed with nothing configured. */
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
  name: "a SvelteKit project is built and its server answers",
  ignore: !canInstall,
  async fn() {
    await withSandbox(async (box) => {
      const project = await deployFramework(box, "sveltekit");
      assert.deepEqual(layersOf(project), {
        client: "STATIC",
        prerendered: "STATIC",
        server: "COMPUTE",
      });
      await checkProject(project);
      await checkImmutable(project, {
        page: "/",
        pattern: /_app\/immutable\/entry\/start\.[\w-]+\.js/,
        missing: "/_app/immutable/entry/start.Abcd1234.js",
      });
      // SvelteKit refuses forms whose origin is not its own: it must know its address.
      const form = await project.ask("/", {
        method: "POST",
        headers: {
          accept: "text/html",
          origin: project.origin,
          "content-type": "application/x-www-form-urlencoded",
        },
        body: "name=Ada",
      });
      assert.equal(form.status, 200, form.text);
      assert.match(form.text, /name: (?:<!--.*?-->)*Ada/);
    });
  },
});
