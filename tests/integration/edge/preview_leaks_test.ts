/**
 * Responses for a person with access to a protected preview must never reach the next visitor,
 * whichever rule caches them, over HTTP/1.1 and HTTP/2. Once the access has ended, that person must
 * not get such responses either.
 */
import assert from "node:assert/strict";
import { connect } from "node:http2";
import { withDashboard } from "../../helpers/dashboard.ts";
import { deploy, rawRequest } from "../../helpers/platform.ts";
import { cookieOf, type Get, PAGE, signInAt } from "../../helpers/protected_previews.ts";

const TRIES = 500;
const SECRET = "not public yet";

/** Each folder of the site has its own rule. */
const FOLDERS: readonly (readonly [string, object | undefined])[] = [
  ["none", undefined],
  ["cached", { type: "cache", ttlSeconds: 600 }],
  ["stale", { type: "cache", ttlSeconds: 1, swrSeconds: 600 }],
  ["varied", { type: "cache", ttlSeconds: 600, vary: ["device"] }],
  ["bypassed", { type: "bypass_cache" }],
  [
    "public",
    {
      type: "set_headers",
      headers: {
        "cache-control": "public, max-age=600, s-maxage=600, immutable",
        "cdn-cache-control": "public, max-age=600",
        "expires": "Fri, 01 Jan 2100 00:00:00 GMT",
      },
    },
  ],
];

const FILES = Object.fromEntries(
  FOLDERS.flatMap(([name]) => [
    [`${name}/index.html`, `${SECRET} ${name}`],
    [`${name}/app.0123abcd.js`, `"${SECRET} ${name}"`],
  ]),
);
const PATHS = FOLDERS.flatMap(([name]) => [`/${name}/`, `/${name}/app.0123abcd.js`]);
const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: FOLDERS.flatMap(([name, action]) =>
    action === undefined
      ? []
      : [{ id: name, action, condition: { path: { type: "prefix", value: `/${name}/` } } }]
  ),
};

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly cacheControl: string;
}

type Ask = (path: string, headers: Record<string, string>) => Promise<Answered>;

/** Opens an HTTP/2 connection for requests to a host. */
function overHttp2(port: number, host: string): { readonly ask: Ask; close(): void } {
  const session = connect(`http://127.0.0.1:${port}`);
  return {
    ask: (path, fields) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ ":authority": host, ":path": path, ...fields });
        let [status, cacheControl, text] = [0, "", ""];
        stream.setEncoding("utf8");
        stream.on("response", (headers) => {
          status = Number(headers[":status"]);
          cacheControl = String(headers["cache-control"]);
        });
        stream.on("data", (chunk) => text += chunk);
        stream.on("end", () => resolve({ status, text, cacheControl }));
        stream.on("error", reject);
        stream.end();
      }),
    close: () => session.close(),
  };
}

Deno.test("a protected preview does not leak to other visitors or after access has been revoked", () =>
  withDashboard(async ({ platform, own, ada, api }) => {
    const get: Get = (url, headers = {}) => {
      const { host, pathname, search } = new URL(url);
      return rawRequest(platform.port, { host, path: pathname + search, headers });
    };
    await api("POST", "/v1/projects", { name: "shop" });
    const preview = await deploy(own, "shop", {
      files: FILES,
      rules: RULES,
      prod: false,
      branch: "map",
    });
    const unique: string = preview.urls.unique;
    const { host } = new URL(unique);
    const access = (json: unknown) => api("PATCH", "/v1/projects/shop/previews", json);
    await access({ protection: "password", password: "open sesame" });

    const share = (await api("POST", `/v1/deployments/${preview.id}/shares`, {})).json;
    const entered = await rawRequest(platform.port, {
      method: "POST",
      host,
      path: "/_svc/access/password",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "to=%2F&password=open+sesame",
    });
    const bypass = (await api("POST", "/v1/projects/shop/previews/bypass-key", {})).json;
    const byPassword = { cookie: cookieOf(entered, "svc_access") };
    const byLink = { cookie: cookieOf(await get(share.url, PAGE), "svc_access") };
    await access({ protection: "members" });
    const byMember = { cookie: await signInAt(get, `${unique}/`, ada.cookie) };
    await access({ protection: "password" });
    /** Each kind of access, and how it ends. */
    const ways: readonly (readonly [string, Record<string, string>, () => Promise<unknown>])[] = [
      [
        "member",
        byMember,
        async () => await ada.submit(await ada.open("/workspaces"), "/sign-out"),
      ],
      [
        "link",
        byLink,
        () => api("DELETE", `/v1/projects/shop/previews/shares/${share.id}`, undefined, 204),
      ],
      [
        "bypass key",
        { "x-svc-bypass": bypass.key },
        () => api("DELETE", "/v1/projects/shop/previews/bypass-key", undefined, 204),
      ],
      ["password", byPassword, () => access({ password: "another one" })],
    ];

    const http2 = overHttp2(platform.port, host);
    const http1: Ask = async (path, headers) => {
      const answer = await get(unique + path, headers);
      return { ...answer, cacheControl: String(answer.headers["cache-control"]) };
    };
    try {
      const refuses = async (
        ask: Ask,
        path: string,
        headers: Record<string, string>,
        why: string,
      ) => {
        const { status, text, cacheControl } = await ask(path, headers);
        assert.deepEqual([status, cacheControl], [401, "no-store"], `${path} ${why}`);
        assert.ok(!text.includes(SECRET), `${path} ${why}`);
      };
      for (let count = 0; count < TRIES; count++) {
        const path = PATHS[count % PATHS.length]!;
        const [name, headers] = ways[Math.floor(count / PATHS.length) % ways.length]!;
        const [one, other] = count % 2 === 0 ? [http1, http2.ask] : [http2.ask, http1];
        const seen = await one(path, headers);
        assert.deepEqual([seen.status, seen.text.includes(SECRET)], [200, true], `${path} ${name}`);
        assert.match(seen.cacheControl, /^private\b/, `${path} ${name}`);
        assert.doesNotMatch(seen.cacheControl, /public|s-maxage|immutable/, `${path} ${name}`);
        await refuses(one, path, {}, `after a ${name}`);
        await refuses(other, path, {}, `after a ${name}, over the other protocol`);
      }
      for (const [name, headers, end] of ways) {
        assert.equal((await http1(PATHS[0]!, headers)).status, 200, name);
        await end();
        for (const path of PATHS) {
          for (const ask of [http1, http2.ask]) await refuses(ask, path, headers, `ended: ${name}`);
        }
      }
    } finally {
      http2.close();
    }
  }));
