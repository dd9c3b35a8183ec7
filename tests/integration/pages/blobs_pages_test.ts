/**
 * Tests the Blobs pages: who can see a store, and uploads, downloads, signed links and deletions
 * with forms.
 */
import assert from "node:assert/strict";
import { type DashboardPlatform, withDashboard } from "../../helpers/dashboard.ts";
import { formsOf, type Page } from "../../helpers/page_visitor.ts";
import { deploy } from "../../helpers/platform.ts";

const AT = "/workspaces/acme/projects/shop/blobs";
const hrefOf = (html: string, text: string): string =>
  new RegExp(`href="([^"]+)"[^>]*>\\s*${text}`).exec(html)![1]!.replaceAll("&amp;", "&");
const formOf = (html: string, name: string) =>
  formsOf(html).find(({ action }) => action.includes(`/blobs/${name}`))!;

/** Submits the upload form with files, as a browser would. Returns the next page. */
async function upload(
  { platform, ada }: DashboardPlatform,
  page: Page,
  { folder, files }: { readonly folder: string; readonly files: readonly File[] },
): Promise<{ readonly status: number; readonly html: string }> {
  const { action, fields } = formOf(page.html, "upload");
  const form = new FormData();
  form.set("csrf", fields.csrf ?? "");
  form.set("folder", folder);
  for (const file of files) form.append("files", file);
  const response = await fetch(`http://127.0.0.1:${platform.port}${action}`, {
    method: "POST",
    headers: { cookie: ada.cookie, "sec-fetch-site": "same-origin" },
    body: form,
  });
  return { status: response.status, html: await response.text() };
}

Deno.test("the Blobs pages upload, show, sign, download and delete objects without JavaScript", () =>
  withDashboard(async (parts) => {
    const { ada, api } = parts;
    await api("POST", "/v1/projects", { name: "shop" });
    const keys = async () => {
      const { json } = await api("GET", "/v1/projects/shop/blobs");
      return json.items.map(({ key }: { key: string }) => key);
    };
    const empty = await ada.open(AT);
    assert.match(empty.html, /No objects yet/);
    assert.match(empty.html, /0 B of 1.0 MiB/);

    const odd = `a b '<i>&?#%2F.txt`;
    const sent = await upload(parts, empty, {
      folder: "photos",
      files: [new File(["kestrel"], odd, { type: "text/x-boat" }), new File(["two"], "b.txt")],
    });
    assert.equal(sent.status, 200, sent.html);
    assert.match(sent.html, /Files uploaded\./);
    assert.deepEqual(await keys(), [`photos/${odd}`, "photos/b.txt"]);
    const top = await ada.open(AT);
    assert.match(top.html, /2 objects/);
    assert.match(top.html, /10 B of 1.0 MiB/);
    const folder = await ada.open(hrefOf(top.html, "photos/"));
    const shown = await ada.open(hrefOf(folder.html, "a b"));
    assert.match(shown.html, /text\/x-boat/);
    const download = await ada.send("GET", hrefOf(shown.html, "Download"));
    assert.equal(download.status, 303);
    const got = await fetch(download.headers.get("location")!);
    assert.deepEqual([await got.text(), got.headers.get("content-type")], [
      "kestrel",
      "text/x-boat",
    ]);

    const signed = await ada.submit(shown, formOf(shown.html, "sign").action, { expires: "86400" });
    const [, link = ""] = /id="link-url">([^<]+)</.exec(signed.html)!;
    const url = new URL(link.replaceAll("&amp;", "&"));
    assert.equal(url.searchParams.get("X-Amz-Expires"), "86400");
    assert.equal(await (await fetch(url)).text(), "kestrel");

    const gone = await ada.confirm(shown, formOf(shown.html, "delete").action);
    assert.match(gone.html, /Object deleted/);
    assert.deepEqual(await keys(), ["photos/b.txt"]);
    assert.equal((await ada.open(shown.path)).status, 404);
    assert.equal((await fetch(url)).status, 404);

    // If the store rejects an object, the page shows that, and nothing is stored.
    for (
      const [name, size, message] of [
        ["c.txt", 1024 * 1024, /quota|bytes/],
        ["..", 1, /segments/],
        ["x".repeat(1100), 1, /1,?024/],
      ] as const
    ) {
      const refused = await upload(parts, empty, {
        folder: "",
        files: [new File(["c".repeat(size)], name)],
      });
      assert.ok(refused.status >= 400 && refused.status < 600, name.slice(0, 9));
      assert.match(refused.html, message);
    }
    assert.equal((await upload(parts, empty, { folder: "", files: [] })).status, 400);
    assert.deepEqual(await keys(), ["photos/b.txt"]);

    // Even with the longest keys, a page does not exceed the maximum size.
    for (let at = 0; at < 21; at++) {
      const key = `l/${String(at).padStart(2, "0")}${`"`.repeat(1010)}`;
      const { json } = await api("POST", "/v1/projects/shop/blobs/sign", { key, method: "PUT" });
      assert.equal((await fetch(json.url, { method: "PUT", body: "x" })).status, 200);
    }
    const full = await ada.open(`${AT}?prefix=l/`);
    assert.ok(full.html.length < 100_000, String(full.html.length));
    const next = await ada.open(hrefOf(full.html, "Next page"));
    assert.match(next.html, />\s*20&quot;/);
    assert.ok(!next.html.includes(">Next page<"));
  }, { blobQuota: 1024 * 1024 }));

Deno.test("a viewer sees the store but no objects, and other people see no store", () =>
  withDashboard(async ({ platform, own, api, viewer, stranger }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    await deploy(own, "shop", { files: { "index.html": "one" } });
    const { json } = await api("POST", "/v1/projects/shop/blobs/sign", {
      ...{ key: "letters/of-somebody", method: "PUT" },
    });
    assert.equal((await fetch(json.url, { method: "PUT", body: "secret" })).status, 200);
    const at = `${AT}?key=letters/of-somebody`;
    for (const path of [AT, at]) {
      const page = await viewer.open(path);
      assert.match(page.html, /Only developers can see objects/);
      assert.ok(!page.html.includes("letters"), path);
      assert.equal((await stranger.open(path)).status, 404);
    }
    const download = at.replace("?", "/download?");
    assert.equal((await viewer.open(download)).status, 403);
    assert.equal((await stranger.open(download)).status, 404);
    const { csrf = "" } = formsOf((await viewer.open(AT)).html)[0]!.fields;
    for (const page of ["upload", "sign", "delete"]) {
      const { status } = await viewer.send("POST", at.replace("?", `/${page}?`), {
        fields: { csrf, expires: "3600" },
      });
      assert.ok([400, 403].includes(status), `${page}: ${status}`);
    }
    assert.equal((await api("GET", "/v1/projects/shop/blobs")).json.items.length, 1);
    assert.ok(platform.port > 0);
  }));
