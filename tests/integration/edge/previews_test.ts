/**
 * Tests protected previews on a platform with a public base domain: the program's responses to
 * visitors, members and people with other kinds of access, over HTTP/1.1 and HTTP/2.
 */
import assert from "node:assert/strict";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { hear } from "../../../scripts/_process.ts";
import { cleanEnvironment, programCommand } from "../../../scripts/_program.ts";
import { type DashboardPlatform, withDashboard } from "../../helpers/dashboard.ts";
import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import { deploy, rawRequest } from "../../helpers/platform.ts";
import { cookieOf, type Get, PAGE, plain, signInAt } from "../../helpers/protected_previews.ts";

const DOMAIN = "apps.example.net";
const CACHE_ALL = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    { id: "cache", action: { type: "cache", ttlSeconds: 600 } },
    {
      id: "public",
      action: { type: "set_headers", headers: { "cache-control": "public, max-age=600" } },
    },
  ],
};

type Parts = DashboardPlatform & {
  readonly get: Get;
};

async function tool({ platform, own: _ }: Parts, key: string, home: string, argv: string[]) {
  const { stdout } = await hear([...programCommand(), ...argv, "--json"], {
    env: {
      ...cleanEnvironment(home),
      SVC_API_URL: `http://127.0.0.1:${platform.port}`,
      SVC_TOKEN: key,
    },
  });
  return JSON.parse(stdout);
}

Deno.test("previews require membership, a share link or a password, and production is open", () =>
  inTestFolder(async (folder) => {
    const tls = await makeCertificate(folder, "own", [`DNS:${DOMAIN}`, `DNS:*.${DOMAIN}`]);
    await withDashboard(async (dashboard) => {
      const { platform, own, ada, viewer, stranger, api } = dashboard;
      const get: Parts["get"] = (url, headers = {}) => {
        const { host, pathname, search } = new URL(url);
        return rawRequest(platform.port, { host, path: pathname + search, headers });
      };
      const parts: Parts = { ...dashboard, get };
      await api("POST", "/v1/projects", { name: "shop" });
      await deploy(own, "shop", {
        files: { "index.html": "open for all", "503.html": "back soon" },
      });
      const preview = await deploy(own, "shop", {
        files: { "index.html": "not public yet", "hook": "hook" },
        prod: false,
        branch: "map",
        rules: CACHE_ALL,
      });
      const { unique, branch, production } = preview.urls as Record<string, string>;
      const statusOf = async (url: string, headers: Record<string, string> = {}) =>
        (await get(url, headers)).status;

      // Previews of a project on a public domain are initially for members only. Production is
      // open.
      const { json: access } = await api("GET", "/v1/projects/shop/previews");
      assert.equal(access.protection, "members");
      const home = await get(production!);
      assert.equal(home.text, "open for all");
      assert.equal(home.headers["x-robots-tag"], undefined);

      // Visitors do not get access, whichever protocol they use.
      for (const url of [unique!, branch!]) {
        const refused = await get(url);
        assert.equal(refused.status, 401);
        assert.equal(refused.headers["cache-control"], "no-store");
        assert.match(String(refused.headers["x-robots-tag"]), /noindex/);
        assert.doesNotMatch(refused.text, /not public/);
      }
      const { hostname } = new URL(unique!);
      const curl = async (flag: string, ...more: string[]) => {
        const { httpsPort } = platform;
        const { stdout } = await hear([
          "curl",
          "-sS",
          flag,
          "--cacert",
          tls.certFile,
          "-o",
          "/dev/null",
          "-w",
          "%{http_code} %{http_version}",
          "--resolve",
          `${hostname}:${httpsPort}:127.0.0.1`,
          ...more,
          `https://${hostname}:${httpsPort}/`,
        ]);
        return stdout;
      };
      assert.equal(await curl("--http2"), "401 2");
      assert.equal(await curl("--http1.1"), "401 1.1");
      const upgrade = { upgrade: "websocket", connection: "upgrade" };
      const socket = {
        "sec-websocket-version": "13",
        "sec-websocket-key": btoa("0123456789abcdef"),
      };
      assert.equal(await statusOf(unique!, { ...upgrade, ...socket }), 401);

      // A member signs in through the platform. People who are not members, and visitors without an
      // account, do not get access.
      const sent = await get(unique!, PAGE);
      const door = String(sent.headers.location);
      assert.equal(new URL(door).hostname, DOMAIN);
      const guest = await get(door, { cookie: stranger.cookie });
      assert.equal(guest.status, 403);
      assert.match(guest.text, /sam@example\.com/);
      assert.match(String((await get(door)).headers.location), /^\/sign-in\?next=/);
      assert.equal(await statusOf(`${door.slice(0, -4)}AAAA`, { cookie: ada.cookie }), 400);
      const member = { cookie: await signInAt(get, `${unique}/`, viewer.cookie) };
      const inside = await get(unique!, member);
      assert.equal(inside.text, "not public yet");
      assert.equal(inside.headers["cache-control"], "private, no-cache");
      assert.match(String(inside.headers["x-robots-tag"]), /noindex/);
      assert.equal(await statusOf(branch!, member), 401, "another host's cookie is refused");

      // No response for a member reaches the next visitor.
      for (let round = 0; round < 50; round++) {
        assert.equal(await statusOf(unique!, member), 200);
        assert.equal(await statusOf(unique!), 401);
      }

      // The CLI creates a share link. Access ends when the link is revoked.
      const key = (await api("POST", "/v1/api-keys", { name: "tool", role: "owner" })).json.key;
      const run = (...argv: string[]) => tool(parts, key, folder, argv);
      const shared = await run("previews", "share", preview.id, "--days", "2");
      const entered = await get(`${shared.url}&a=1`, PAGE);
      assert.equal(entered.headers.location, plain(`${unique}/?a=1`));
      const byLink = { cookie: cookieOf(entered, "svc_access") };
      assert.equal(await statusOf(unique!, byLink), 200);
      const list = await run("previews", "list", "--project-id", "shop");
      assert.deepEqual(list.shares.map(({ id }: { id: string }) => id), [shared.share.id]);
      await run("previews", "revoke", shared.share.id, "--project-id", "shop");
      assert.equal(await statusOf(unique!, byLink), 401);
      const lost = await get(shared.url, PAGE);
      assert.equal(lost.status, 401);
      assert.match(lost.text, /This link no longer works/);
      const ofBranch = await run("previews", "share", preview.id, "--branch");
      assert.equal((await get(ofBranch.url)).status, 303);
      assert.equal(await statusOf(ofBranch.url.replace(branch!, unique!)), 401);

      // The bypass key works in the header and over HTTP/2.
      const { key: bypass } = await run("previews", "bypass", "--project-id", "shop");
      assert.equal(await statusOf(unique!, { "x-svc-bypass": bypass }), 200);
      assert.equal(await curl("--http2", "-H", `x-svc-bypass: ${bypass}`), "200 2");
      assert.equal((await get(`${unique}/?x-svc-bypass=${bypass}`)).status, 303);
      await run("previews", "bypass", "--remove", "--project-id", "shop");
      assert.equal(await statusOf(unique!, { "x-svc-bypass": bypass }), 401);

      // The password works, and attempts are limited.
      await api("PATCH", "/v1/projects/shop/previews", {
        protection: "password",
        password: "open sesame",
      });
      const guess = (password: string) =>
        rawRequest(platform.port, {
          method: "POST",
          host: new URL(unique!).host,
          path: "/_svc/access/password",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: `to=%2F&password=${encodeURIComponent(password)}`,
        });
      assert.match((await get(unique!, PAGE)).text, /<label for="password">/);
      assert.equal((await guess("wrong")).status, 401);
      const right = await guess("open sesame");
      assert.equal(right.status, 303);
      const byPassword = { cookie: cookieOf(right, "svc_access") };
      assert.equal(await statusOf(unique!, byPassword), 200);
      let last = 0;
      for (let count = 0; count < 8 && last !== 429; count++) last = (await guess("wrong")).status;
      assert.equal(last, 429);

      // Certain addresses, certain paths and OPTIONS requests do not need a sign-in. Production can
      // be protected, too.
      await run(
        "previews",
        "set",
        "--protection",
        "all",
        "--exempt-path",
        "/hook",
        "--project-id",
        "shop",
      );
      assert.equal(await statusOf(`${unique}/hook`), 200);
      assert.equal(await statusOf(`${unique}/hook/../index.html`), 401);
      assert.equal(await statusOf(production!), 401);
      await run("previews", "set", "--allow-cidr", "127.0.0.0/8", "--project-id", "shop");
      assert.equal(await statusOf(production!), 200);
      await run(
        "previews",
        "set",
        "--allow-cidr",
        "",
        "--protection",
        "members",
        "--project-id",
        "shop",
      );
      assert.equal(await statusOf(unique!), 401);
      assert.equal(await statusOf(production!), 200);

      // Production is in maintenance mode, with the site's own page. Members and listed addresses
      // have access.
      await run("maintenance", "on", "--project-id", "shop");
      const down = await get(production!, PAGE);
      assert.equal(down.status, 503);
      assert.equal(down.text, "back soon");
      assert.equal(down.headers["retry-after"], "300");
      assert.equal(down.headers["cache-control"], "no-store");
      assert.equal(await statusOf(unique!, member), 200);
      const signIn = await get(`${production}/_svc/access/sign-in?to=/`);
      const grant = await get(String(signIn.headers.location), { cookie: ada.cookie });
      const returned = await get(String(grant.headers.refresh).replace(/^0;url=/, ""), {
        cookie: cookieOf(signIn, "svc_access_browser"),
      });
      const maintainer = { cookie: cookieOf(returned, "svc_access") };
      assert.equal((await get(production!, maintainer)).text, "open for all");
      await run("maintenance", "on", "--allow", "127.0.0.0/8", "--project-id", "shop");
      assert.equal(await statusOf(production!), 200);
      await run("maintenance", "off", "--project-id", "shop");
      assert.equal(await statusOf(production!), 200);

      // A member who leaves the workspace loses access on the next request.
      assert.equal(await statusOf(unique!, member), 200);
      const { json: members } = await api("GET", "/v1/members");
      const vic = members.items.find(({ name }: { name: string }) => name === "vic");
      await api("DELETE", `/v1/members/${vic.userId}`, undefined, 204);
      assert.equal(await statusOf(unique!, member), 401);

      const { json: audit } = await api("GET", "/v1/audit?limit=100");
      const actions = new Set(audit.items.map(({ action }: { action: string }) => action));
      for (
        const action of [
          "createShare",
          "deleteShare",
          "createBypassKey",
          "deleteBypassKey",
          "updatePreviewAccess",
        ]
      ) assert.ok(actions.has(action), `${action} is not in the audit log`);
      assert.ok(
        !JSON.stringify(audit).includes("sesame"),
        "the audit log does not show the password",
      );
    }, { baseDomain: DOMAIN, httpsPort: 0, tls });
  }));
