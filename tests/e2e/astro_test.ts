/**
 * Deploys a real Astro site. `svc deploy` installs its packages from npm and builds it. The test
 * then fetches every file and compares it byte for byte.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { listFiles } from "../../scripts/_source_files.ts";
import { buildsProjects } from "../helpers/node_program.ts";
import { copySite, hostOf, urlOf, withSandbox } from "../helpers/sandbox.ts";
import { needs } from "../helpers/empty_root.ts";

Deno.test({
  name: "an Astro site is built, deployed and served byte for byte",
  ignore: !buildsProjects || needs("sh", "node", "npm").ignore,
  async fn() {
    await withSandbox(async (box) => {
      await copySite("astro", box.site);
      box.env.ASTRO_TELEMETRY_DISABLED = "1";
      await box.start();
      const init = await box.json(["init", "--create"]);
      assert.equal((init.framework as { id: string } | null)?.id, "astro");
      const told = await box.json(["deploy", "--prod"]);
      const dist = join(box.site, "dist");
      const files = await Deno.realPath(dist).then((path) => listFiles(path));
      assert.ok(files.length >= 9);
      assert.equal(told.fileCount, files.length);

      const host = hostOf((told.urls as Record<string, string>).production);
      for (const file of files) {
        const bytes = await Deno.readFile(join(dist, file));
        const url = urlOf(file);
        const page = await box.page(host, url);
        assert.equal(page.status, 200, url);
        assert.deepEqual(page.body, bytes, url);
        if (url === `/${file}`) continue;
        const moved = await box.page(host, `/${file}`);
        assert.deepEqual([moved.status, moved.headers.location], [308, url]);
      }
      const missing = await box.page(host, "/harbours/atlantis/");
      assert.equal(missing.status, 404);
      assert.match(missing.text, /Out of soundings/);
    });
  },
});
