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
      const send = (headers: Readonly<Record<string, string>>) =>
        project.ask("/", {
          method: "POST",
          headers: {
            accept: "text/html",
            "content-type": "application/x-www-form-urlencoded",
            ...headers,
          },
          body: "name=Ada",
        });
      const secure = project.origin.replace("http:", "https:");
      const own: Readonly<Record<string, string>>[] = [
        { origin: project.origin },
        { origin: secure, "x-forwarded-proto": "https" },
      ];
      for (const headers of own) {
        const form = await send(headers);
        assert.equal(form.status, 200, form.text);
        assert.match(form.text, /name: (?:<!--.*?-->)*Ada/);
      }
      for (const origin of [secure, "http://elsewhere.example"]) {
        assert.equal((await send({ origin })).status, 403, origin);
      }
    });
  },
});
