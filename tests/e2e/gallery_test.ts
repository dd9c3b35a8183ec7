/**
 * Deploys the gallery in `fixtures/gallery` from git, with uploads, a queue, and previews with
 * their own data.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../../scripts/_source_files.ts";
import { until } from "../../src/lib/_test_until.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { withBuilds } from "../helpers/git_builds.ts";
import { makePng } from "../helpers/images.ts";
import { rawRequest } from "../helpers/platform.ts";

const FOLDER = join(ROOT, "fixtures", "gallery");

async function filesOfGallery(): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name } of Deno.readDir(FOLDER)) {
    files[name] = await Deno.readTextFile(join(FOLDER, name));
  }
  return files;
}

testNeeding("git")(
  "a gallery creates thumbnails through a queue, and its previews do not see the uploads",
  () =>
    withBuilds(async (platform) => {
      const { hook } = await platform.project("gallery");
      const files = await filesOfGallery();
      const live = await platform.build(hook, files);
      assert.equal(live.status, "LIVE", live.error ?? "");
      const preview = await platform.build(hook, {
        ...files,
        "NEWS.md": "news",
      }, "news");
      assert.equal(preview.status, "LIVE", preview.error ?? "");
      const [production, branch] = [live, preview].map(({ url }) => new URL(url).hostname) as [
        string,
        string,
      ];
      const post = async (host: string, path: string) => {
        const { status, body } = await rawRequest(platform.port, {
          method: "POST",
          host,
          path,
        });
        return { status, json: JSON.parse(body.toString() || "{}") };
      };
      const put = async (url: string, type: string, body: BlobPart) => {
        const response = await fetch(url, {
          method: "PUT",
          headers: { "content-type": type },
          body: new Blob([body]),
        });
        await response.body?.cancel();
        return response.status;
      };
      const countOn = async (host: string) =>
        Number(
          /<h1>(\d+) photos/.exec((await platform.get(host, "/")).text)?.[1],
        );

      assert.equal(await countOn(production), 0);
      for (const [seed, name] of ["kestrel.png", "heron.png"].entries()) {
        const { json: { url } } = await post(
          production,
          `/uploads?name=${name}`,
        );
        assert.equal(await put(url, "text/html", "<script>"), 403);
        assert.equal(
          await put(url, "image/png", new Uint8Array(5_000_001)),
          400,
        );
        assert.equal(await put(url, "image/png", makePng(800, 600, seed)), 200);
        assert.equal(
          (await post(production, `/photos?name=${name}`)).status,
          202,
        );
      }
      await until(() => countOn(production), (count) => count === 2, 60_000);
      const thumb = await platform.get(
        production,
        "/_svc/blobs/thumbs/kestrel.png.webp",
      );
      assert.equal(thumb.status, 200);
      assert.equal(thumb.headers["content-type"], "image/webp");
      assert.equal((await platform.get(production, "/queues/thumbnails")).status, 403);

      // The preview has its own store and queue.
      assert.equal(await countOn(branch), 0);
      const { json: { url } } = await post(branch, "/uploads?name=tern.png");
      assert.equal(await put(url, "image/png", makePng(80, 60, 3)), 200);
      assert.equal((await post(branch, "/photos?name=tern.png")).status, 202);
      await until(() => countOn(branch), (count) => count === 1, 60_000);
      assert.equal(await countOn(production), 2);
    }),
);
