/**
 * Tests image sources: the site's files and servers, from the point of view of a visitor without
 * cookies, and other sites that the project declares.
 */
import assert from "node:assert/strict";
import { makePng } from "../../helpers/images.ts";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";
import { openMachinery, publish, rule } from "../../helpers/upstreams.ts";
import { stopServer } from "../../../src/lib/stop_server.ts";

const HOST = "shop.localhost";

const endpoint = (source: string): string => `/_svc/image?url=${encodeURIComponent(source)}&w=16`;

Deno.test("an image cannot be read through the endpoint if its URL cannot be read", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    files: {
      "open.png": makePng(40, 20),
      "denied/a.png": makePng(40, 20, 1),
      "members/a.png": makePng(40, 20, 2),
      "gated/a.png": makePng(40, 20, 3),
      "moved/a.png": makePng(40, 20, 4),
      "office/a.png": makePng(40, 20, 5),
      "linked/a.png": makePng(40, 20, 6),
    },
    functions: {
      gate: `export default (request) =>
        request.headers.get("cookie") === "member=1" ? undefined : new Response("no", { status: 401 })`,
    },
    rules: [
      {
        ...rule("members", { type: "allow" }),
        condition: { path: { type: "prefix", value: "/members/" }, cookies: { member: "1" } },
      },
      rule("strangers", { type: "deny" }, "/members/"),
      rule("denied", { type: "deny" }, "/denied/"),
      {
        ...rule("office", { type: "deny" }),
        condition: {
          path: { type: "prefix", value: "/office/" },
          not: { headers: { "x-office": "yes" } },
        },
      },
      rule("moved", { type: "redirect", target: "/open.png" }, "/moved/"),
      rule("gate", {
        type: "pipeline",
        steps: [{ use: "gate", mode: "request", failure: "closed" }, { handle: "origin" }],
      }, "/gated/"),
      rule("loop", { type: "rewrite", target: "/_svc/image?url=/loop.png&w=16" }, "/loop.png"),
    ],
  });
  const member = { cookie: "member=1" };
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await platform.get(HOST, path, headers)).status;

  assert.equal(await get(endpoint("/open.png")), 200);
  assert.equal(await get(endpoint("/denied/a.png")), 403);
  assert.equal(await get(endpoint("/open.png/../denied/a.png")), 403);
  assert.equal(await get(endpoint("/%64enied/a.png")), 403);
  assert.equal(await get(endpoint("//denied/a.png")), 400);
  assert.equal(await get("/members/a.png", member), 200);
  assert.equal(await get(endpoint("/members/a.png"), member), 403, "the endpoint ignores cookies");
  assert.equal(await get("/gated/a.png", member), 200);
  assert.equal(
    await get(endpoint("/gated/a.png"), member),
    401,
    "the endpoint does not pass cookies to functions",
  );
  assert.equal(await get(endpoint("/moved/a.png")), 502);
  assert.equal(await get(endpoint("/loop.png")), 404);

  // An image that was converted for one visitor is not served to a visitor without access.
  assert.equal(await get(endpoint("/office/a.png"), { "x-office": "yes" }), 200);
  assert.equal(await get(endpoint("/office/a.png")), 403);
});

Deno.test("rules apply to the endpoint as they do to any other path", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    files: { "photo.png": makePng(40, 20) },
    rules: [
      {
        ...rule("bots", { type: "deny" }),
        condition: {
          path: { type: "prefix", value: "/_svc/image" },
          headers: { "user-agent": "bot" },
        },
      },
      rule("thumb", { type: "rewrite", target: "/_svc/image?url=/photo.png&w=16" }, "/thumb"),
      rule("mark", { type: "set_headers", headers: { "x-mark": "yes" } }, "/_svc/image"),
    ],
  });
  const plain = await platform.get(HOST, endpoint("/photo.png"));
  assert.deepEqual([plain.status, plain.headers["x-mark"]], [200, "yes"]);
  const bot = await platform.get(HOST, endpoint("/photo.png"), { "user-agent": "bot" });
  assert.equal(bot.status, 403);
  const thumb = await platform.get(HOST, "/thumb", { accept: "image/webp" });
  assert.deepEqual([thumb.status, thumb.headers["content-type"]], [200, "image/webp"]);
});

const SERVER = `
import { createServer } from "node:http";
let asked = 0;
createServer((request, response) => {
  const { cookie, authorization, accept } = request.headers;
  const path = request.url.split("?")[0];
  if (path === "/asked") return response.end(JSON.stringify({ asked }));
  if (path.endsWith(".png")) asked++;
  response.setHeader("content-type", "image/png");
  if (path === "/kept.png") response.setHeader("cache-control", "public, max-age=600");
  if (path === "/private.png") response.setHeader("cache-control", "private");
  if (cookie || authorization || accept !== "image/*") response.statusCode = 418;
  response.end(Buffer.from("PNG", "base64"));
}).listen(3000);
`;

Deno.test("a server gets image requests without credentials, as often as its headers require", () =>
  withPlatform(async (platform) => {
    const png = makePng(40, 20).toBase64();
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: { "server/entry.mjs": SERVER.replace('"PNG"', `"${png}"`) },
      manifest: {
        version: 1,
        layers: [{
          name: "app",
          target: "COMPUTE",
          directory: "server",
          entry: "server/entry.mjs",
        }],
        routes: [{ pattern: "^/.*$", layer: "app" }],
      },
    });
    const headers = {
      accept: "image/webp",
      cookie: "session=1",
      authorization: "Basic eDp5",
      "accept-encoding": "gzip",
    };
    const get = (path: string) => platform.get(HOST, endpoint(path), headers);
    const asked = async () => JSON.parse((await platform.get(HOST, "/asked")).text).asked;

    const first = await get("/plain.png");
    assert.deepEqual([first.status, first.headers["x-svc-cache"]], [200, "MISS"], first.text);
    assert.equal(first.headers["cache-control"], "public, max-age=0, must-revalidate");
    // After a server's first response, a thread can call the server directly.
    for (let round = 0; round < 3; round++) {
      assert.equal((await get("/plain.png")).headers["x-svc-cache"], "HIT");
    }
    assert.equal(
      await asked(),
      4,
      "the server gets every request, but the image is converted only once",
    );

    const kept = await get("/kept.png?size=1");
    assert.match(String(kept.headers["cache-control"]), /^public, max-age=600/);
    assert.equal((await get("/kept.png?size=1")).headers["x-svc-cache"], "HIT");
    assert.equal(await asked(), 5, "a fresh image does not cause a second request");

    for (let round = 0; round < 2; round++) {
      const secret = await get("/private.png");
      assert.equal(secret.headers["cache-control"], "private, no-store");
      assert.equal(secret.headers["x-svc-cache"], "MISS");
    }
  }));

Deno.test("images from other sites are fetched only if the project declares the sites", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  const seen: { readonly path: string; readonly headers: Record<string, string> }[] = [];
  const other = machinery.serve(() => new Response(makePng(40, 20)));
  const cdn = machinery.serve((request) => {
    const { pathname } = new URL(request.url);
    seen.push({ path: pathname, headers: Object.fromEntries(request.headers) });
    const redirect = (location: string) =>
      new Response(null, { status: 302, headers: { location } });
    if (pathname === "/photos/away.png") return redirect(`${other.url}/photo.png`);
    if (pathname === "/photos/near.png") return redirect("/photos/a.png");
    if (pathname === "/photos/loop.png") return redirect("/photos/loop.png");
    if (pathname === "/photos/page.png") return new Response("<html></html>");
    if (pathname === "/photos/gone.png") return new Response(null, { status: 404 });
    if (pathname === "/photos/large.png") {
      const part = new Uint8Array(1024 * 1024);
      return new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(part) }),
      );
    }
    return new Response(makePng(40, 20), { headers: { "cache-control": "max-age=3600" } });
  });
  await createProject(platform, "shop");
  await publish(platform, "shop", { images: { hosts: [`${cdn.url}/photos/**`] } });
  const get = async (url: string) =>
    await platform.get(HOST, endpoint(url), { accept: "image/webp", cookie: "session=1" });

  const first = await get(`${cdn.url}/photos/a.png?v=1`);
  assert.deepEqual([first.status, first.headers["content-type"]], [200, "image/webp"], first.text);
  assert.match(String(first.headers["cache-control"]), /^public, max-age=3600/);
  assert.equal((await get(`${cdn.url}/photos/a.png?v=1`)).headers["x-svc-cache"], "HIT");
  assert.equal(seen.length, 1, "the image stays fresh for an hour");
  const { cookie, via, "x-forwarded-for": address } = seen[0]!.headers;
  assert.deepEqual([cookie, address, via?.includes("svc-")], [undefined, undefined, true]);

  assert.equal((await get(`${cdn.url}/photos/near.png`)).status, 200);
  assert.equal((await get(`${cdn.url}/photos/away.png`)).status, 502);
  assert.equal((await get(`${cdn.url}/photos/loop.png`)).status, 502);
  assert.equal((await get(`${cdn.url}/photos/page.png`)).status, 400);
  assert.equal((await get(`${cdn.url}/photos/gone.png`)).status, 404);
  assert.equal((await get(`${cdn.url}/photos/large.png`)).status, 413);
  assert.equal((await get(`${cdn.url}/other/a.png`)).status, 400);
  assert.equal((await get(`${other.url}/photo.png`)).status, 400);
  assert.equal((await get(cdn.url.replace("https:", "http:") + "/photos/a.png")).status, 400);
});

Deno.test("a declared site at a private address is not fetched", () =>
  withPlatform(async (platform) => {
    const inside = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(makePng(40, 20)),
    );
    const url = `http://127.0.0.1:${inside.addr.port}`;
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: { "index.html": "home" },
      manifest: {
        version: 1,
        layers: [{ name: "static", target: "STATIC", directory: "." }],
        routes: [{ pattern: "^/.*$", layer: "static" }],
        images: { hosts: [url, "http://169.254.169.254"] },
      },
    });
    for (const source of [`${url}/a.png`, "http://169.254.169.254/latest/meta-data"]) {
      assert.equal((await platform.get(HOST, endpoint(source))).status, 502, source);
    }
    await stopServer(inside);
  }));
