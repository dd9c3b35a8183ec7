/**
 * Tests a project's key-value store through the API and its pages: who can see it, and the effects
 * of writes.
 */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { formsOf } from "../../helpers/page_visitor.ts";

const KV = "/v1/projects/shop/kv";
const AT = "/workspaces/acme/projects/shop/kv";
const of = (key: string, rest = "") => `${KV}/value?key=${encodeURIComponent(key)}${rest}`;

Deno.test("the API lists, shows, sets and removes values in an environment's store, within limits", () =>
  withDashboard(async ({ api }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const text = { encoding: "text", value: "at sea\n" };
    const set = await api("PUT", `${KV}/value`, { key: "boats/kestrel", version: null, ...text });
    assert.deepEqual([set.json.size, set.json.expiresAt], [7, null]);
    const shown = await api("GET", of("boats/kestrel"));
    assert.equal(shown.json.value, "at sea\n");
    assert.equal(shown.json.version, set.json.version);

    const twice = await api("PUT", `${KV}/value`, {
      key: "boats/kestrel",
      version: null,
      ...text,
    }, 409);
    assert.match(twice.json.error, /key already exists/);
    const next = { key: "boats/kestrel", encoding: "text", value: "home", ttlSeconds: 3600 };
    const changed = await api("PUT", `${KV}/value`, { ...next, version: set.json.version });
    assert.notEqual(changed.json.expiresAt, null);
    await api("PUT", `${KV}/value`, { ...next, version: set.json.version }, 409);
    await api("DELETE", of("boats/kestrel", `&version=${set.json.version}`), undefined, 409);

    const bytes = { encoding: "base64", value: btoa("\xff\x00\xfe") };
    await api("PUT", `${KV}/value`, { key: "raw", ...bytes });
    assert.deepEqual(
      (({ encoding, value, size }) => ({ encoding, value, size }))(
        (await api("GET", of("raw"))).json,
      ),
      { ...bytes, size: 3 },
    );
    for (const name of ["a", "b", "c"]) {
      await api("PUT", `${KV}/value`, { key: `list/${name}`, encoding: "text", value: name });
    }
    const first = await api("GET", `${KV}?prefix=list/&limit=2`);
    assert.deepEqual(first.json.items.map(({ key }: { key: string }) => key), ["list/a", "list/b"]);
    const cursor = encodeURIComponent(first.json.nextCursor);
    const rest = await api("GET", `${KV}?prefix=list/&limit=2&cursor=${cursor}`);
    assert.deepEqual(rest.json.items.map(({ key }: { key: string }) => key), ["list/c"]);
    assert.equal(rest.json.nextCursor, null);
    assert.deepEqual((await api("GET", `${KV}?environment=preview`)).json.items, []);
    await api("GET", `${KV}?environment=nowhere`, undefined, 404);

    await api("DELETE", of("boats/kestrel"));
    await api("GET", of("boats/kestrel"), undefined, 404);
    await api("DELETE", of("boats/kestrel"));

    const put = (body: unknown, status: number) => api("PUT", `${KV}/value`, body, status);
    await put({ key: "", ...text }, 400);
    await put({ key: "é".repeat(257), ...text }, 400);
    await put({ key: "\ud800", ...text }, 400);
    await put({ key: "a", encoding: "base64", value: "no base64" }, 400);
    await put({ key: "a", ...text, contentType: "text/plain\r\nset-cookie: a=b" }, 400);
    await put({ key: "a", ...text, ttlSeconds: 0 }, 400);
    const most = 512 * 1024;
    await put({ key: "é".repeat(256), encoding: "text", value: "v".repeat(most) }, 200);
    await put({ key: "a", encoding: "text", value: "v".repeat(most + 1) }, 400);
    await put({ key: "a", encoding: "base64", value: btoa("v".repeat(most)) }, 200);
    await put({ key: "a", encoding: "base64", value: btoa("v".repeat(most + 1)) }, 400);
    assert.equal((await api("GET", of("a"))).json.value.length, most);
    await put({ key: "a", encoding: "text", value: "\0".repeat(most) }, 200);
  }));

Deno.test("the KV pages add, show, change and remove keys of any kind", () =>
  withDashboard(async ({ ada, api }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    const empty = await ada.open(AT);
    assert.match(empty.html, /No keys yet/);
    const add = formsOf(empty.html).find(({ action }) => action.includes("/kv/add"))!.action;
    const made = await ada.submit(empty, add, {
      key: "boats/kestrel",
      value: "one\r\ntwo",
      contentType: "text/plain",
      ttl: "",
    });
    assert.match(made.html, /Value saved/);
    assert.equal((await api("GET", of("boats/kestrel"))).json.value, "one\ntwo");
    const again = await ada.submit(empty, add, { key: "boats/kestrel", value: "three" });
    assert.equal(again.status, 409);
    assert.match(again.html, /key already exists/);
    assert.equal((await ada.submit(empty, add, { key: "x", value: "y", ttl: "soon" })).status, 400);

    const actionOn = (html: string, name: string) =>
      formsOf(html).find(({ action }) => action.includes(`/kv/${name}`))!.action;
    const saved = await ada.submit(made, actionOn(made.html, "set"), {
      value: "<b>two</b>",
      contentType: "text/html",
      ttl: "60",
    });
    assert.match(saved.html, /&lt;b&gt;two/);
    assert.notEqual((await api("GET", of("boats/kestrel"))).json.expiresAt, null);
    const late = await ada.submit(made, actionOn(made.html, "set"), { value: "lost" });
    assert.equal(late.status, 409);
    assert.match(late.html, /The key has changed/);

    const odd = `..//?&=#%2F "'<i>\n\u{1F6A2}`;
    await api("PUT", `${KV}/value`, { key: odd, encoding: "text", value: "odd" });
    const list = await ada.open(`${AT}?prefix=${encodeURIComponent("..//")}`);
    assert.ok(!list.html.includes("kestrel"));
    const href = /class="whole mono" href="([^"]+)"/.exec(list.html)![1]!.replaceAll("&amp;", "&");
    const shown = await ada.open(href);
    assert.match(shown.html, /\nodd<\/textarea>/);
    const gone = await ada.confirm(shown, actionOn(shown.html, "remove"));
    assert.match(gone.html, /Key removed/);
    await api("GET", of(odd), undefined, 404);
    assert.equal((await ada.open(href)).status, 404);

    await api("PUT", `${KV}/value`, { key: "raw", encoding: "base64", value: btoa("\xff") });
    const raw = await ada.open(`${AT}?key=raw`);
    assert.match(raw.html, /This value is binary/);
    assert.equal(formsOf(raw.html).some(({ action }) => action.includes("/kv/set")), false);

    // A page does not exceed the maximum size, however long the list or the value is.
    for (let at = 0; at < 22; at++) {
      const key = String(at).padStart(2, "0") + `"`.repeat(510);
      await api("PUT", `${KV}/value`, { key, encoding: "text", value: `"`.repeat(20_000) });
    }
    const full = await ada.open(AT);
    assert.ok(full.html.length < 100_000, String(full.html.length));
    assert.match(full.html, />Next page</);
    const [, first = ""] = /class="whole mono" href="([^"]+)"/.exec(full.html)!;
    const value = await ada.open(first.replaceAll("&amp;", "&"));
    assert.equal(value.status, 200);
    assert.ok(value.html.length < 100_000, String(value.html.length));
    assert.match(value.html, /too long to edit here/);
  }));

Deno.test("a viewer can neither see nor change the store, but can see who is allowed to", () =>
  withDashboard(async ({ api, viewer, stranger }) => {
    await api("POST", "/v1/projects", { name: "shop" });
    await api("PUT", `${KV}/value`, { key: "session/of-somebody", encoding: "text", value: "s3" });
    for (const path of [AT, `${AT}?key=session/of-somebody`]) {
      const page = await viewer.open(path);
      assert.equal(page.status, 200);
      assert.match(page.html, /Only developers can see keys/);
      assert.ok(!page.html.includes("of-somebody") && !page.html.includes("s3"), path);
      assert.equal((await stranger.open(path)).status, 404);
    }
    const { csrf = "" } = formsOf((await viewer.open(AT)).html)[0]!.fields;
    for (const path of [`${AT}/add`, `${AT}/set?key=a&version=1`, `${AT}/remove?key=a&version=1`]) {
      const fields = { csrf, key: "a", value: "b", contentType: "text/plain" };
      assert.equal((await viewer.send("POST", path, { fields })).status, 403, path);
    }
  }));
