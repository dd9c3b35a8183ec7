/** Deploys Node servers on a real platform. */
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { fetchByHost } from "../../../scripts/_fetch_by_host.ts";
import { onEachEngine } from "../../helpers/compute_server.ts";
import { deployServer, HASTY_MANIFEST, LAYERS, withEngine } from "../../helpers/compute_site.ts";
import {
  create,
  createProject,
  deploy,
  type Files,
  type TestPlatform,
  upload,
  withPlatform,
} from "../../helpers/platform.ts";

const HOST = "shop.localhost";

const ALL = [{ pattern: "^/.*$", layer: "app" }];
const SITE = { version: 1, layers: LAYERS, routes: ALL };

/** Tries to activate a deployment that must not go live. Returns the response. */
async function refusal(platform: TestPlatform, files: Files, manifest: unknown) {
  const created = await create(platform, "shop", { files, manifest });
  assert.equal(created.status, 201, JSON.stringify(created.json));
  await upload(platform, files);
  const { id } = created.json.deployment;
  const { status, json } = await platform.api("POST", `/v1/deployments/${id}/activate`);
  assert.equal(status, 409, JSON.stringify(json));
  return json as { readonly error: string; readonly problems: readonly { message: string }[] };
}

onEachEngine(
  "a server learns its address, deployment and environment",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await platform.api("PUT", "/v1/projects/shop/variables/SVC_GIT_BRANCH", {
        json: { value: "its own", category: "plain", scope: "preview" },
      });
      const server = `
      import { createServer } from "node:http";
      createServer((_request, response) => response.end(JSON.stringify(
        Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith("SVC_"))),
      ))).listen(process.env.PORT);`;
      const seen = async (prod: boolean) => {
        const deployment = await deployServer(platform, "shop", {
          engine,
          server,
          manifest: SITE,
          prod,
        });
        const host = new URL(prod ? deployment.urls.production : deployment.urls.unique).hostname;
        return { deployment, env: JSON.parse((await platform.get(host, "/")).text) };
      };
      const live = await seen(true);
      const {
        SVC_KV_URL: url,
        SVC_KV_TOKEN: token,
        SVC_QUEUE_URL: queues,
        SVC_QUEUE_TOKEN: queueToken,
        SVC_QUEUE_SECRET: secret,
        ...own
      } = live.env;
      assert.match(`${url} ${token}`, /^http:\/\/127\.0\.0\.1:\d+ svckv_[\w-]{43}$/);
      assert.match(
        `${queues} ${queueToken} ${secret}`,
        /^http:\/\/127\.0\.0\.1:\d+\/v1\/queues svckv_[\w-]{43} whsec_\S+$/,
      );
      assert.deepEqual(own, {
        SVC_URL: live.deployment.urls.production,
        SVC_DEPLOYMENT_ID: live.deployment.id,
        SVC_ENVIRONMENT: "production",
        SVC_GIT_BRANCH: live.deployment.branch,
        ...(live.deployment.commitSha === null
          ? {}
          : { SVC_GIT_COMMIT_SHA: live.deployment.commitSha }),
      });
      const preview = await seen(false);
      assert.equal(preview.env.SVC_URL, preview.deployment.urls.unique);
      assert.equal(preview.env.SVC_ENVIRONMENT, "preview");
      assert.equal(preview.env.SVC_GIT_BRANCH, "its own");
    }),
);

onEachEngine(
  "a server that listens but does not respond never goes live",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { engine });
      const files = {
        "index.html": "home",
        "server/entry.mjs": `
        import { createServer } from "node:http";
        createServer((request, response) => {
          console.log("asked for " + request.url, request.headers.host, request.headers["x-forwarded-proto"]);
          if (request.url === "/ready?now") response.writeHead(204).end();
          if (request.url === "/broken") response.writeHead(500).end();
        }).listen(process.env.PORT);`,
      };
      const manifest = withEngine({ ...SITE, layers: HASTY_MANIFEST.layers }, engine);
      const { error, problems } = await refusal(platform, files, manifest);
      assert.match(error, /did not respond to GET \/ within 3 s/);
      assert.match(error, /health_path = "\/path" under \[server\] in svc\.toml/);
      assert.ok(
        problems.some(({ message }) => message === `asked for / ${HOST}:${platform.port} http`),
        JSON.stringify(problems),
      );
      assert.equal((await platform.get(HOST, "/x")).text, "server: /x");

      const asking = (healthPath: string) => {
        const layers = LAYERS.map((layer) =>
          layer.target === "COMPUTE"
            ? { ...layer, runtime: { ...layer.runtime, healthPath, startTimeoutMs: 5000 } }
            : layer
        );
        return withEngine({ ...SITE, layers }, engine);
      };
      const broken = await refusal(platform, files, asking("/broken"));
      assert.match(broken.error, /GET \/broken \(health_path\) responded with 500 for 5 s/);
      await deploy(platform, "shop", { files, manifest: asking("/ready?now") });
      assert.equal((await platform.get(HOST, "/ready?now")).status, 204);
    }),
);

const PACKAGES: Files = {
  "index.html": "home",
  "server/entry.mjs": `
    import { createServer } from "node:http";
    import greet from "greet";
    createServer((_request, response) => response.end(greet())).listen(process.env.PORT);`,
  "node_modules/.store/greet@1/package.json": '{"name":"greet","main":"index.js"}',
  "node_modules/.store/greet@1/index.js": 'module.exports = () => "hello from a link";',
};

const linked = (links: Readonly<Record<string, string>>): Files => ({
  ...PACKAGES,
  ".svc/links.json": JSON.stringify({ version: 1, links }),
});

Deno.test("servers find packages behind symbolic links, and the list of links is not served", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", {
      files: linked({ "node_modules/greet": ".store/greet@1" }),
      manifest: withEngine({
        ...SITE,
        routes: [{ pattern: "^/.*$", layer: "files", priority: 1 }, ...ALL],
      }, "node"),
    });
    assert.equal((await platform.get(HOST, "/x")).text, "hello from a link");
    for (const path of ["/.svc/links.json", "/.svc/manifest.json", "/%2esvc/links.json"]) {
      assert.equal((await platform.get(HOST, path)).text, "hello from a link", path);
    }
  }));

Deno.test("a deployment with links that lead outside it is refused with the reason", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const files = linked({ "node_modules/greet": "../../../../etc" });
    const { error } = await refusal(platform, files, withEngine(SITE, "node"));
    assert.match(
      error,
      /\.svc\/links\.json is not valid: link "node_modules\/greet": .* points outside/,
    );
  }));

Deno.test("an unavailable Node version is reported with the reason", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const old = LAYERS.map((layer) =>
      layer.target === "COMPUTE"
        ? { ...layer, runtime: { ...layer.runtime, engine: "node", nodeVersion: "12" } }
        : layer
    );
    const { error } = await refusal(platform, PACKAGES, { ...SITE, layers: old });
    assert.match(error, /Node 12 is too old: servers run on Node 18 and later/);
  }));

onEachEngine(
  "a request keeps its framing on the way to a server",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      const server = `
      import { createServer } from "node:http";
      createServer(async (request, response) => {
        let size = 0;
        for await (const chunk of request) size += chunk.length;
        const { "content-length": length, "transfer-encoding": coding } = request.headers;
        response.setHeader("x-framing", [length ?? "-", coding ?? "-", size].join(" "));
        response.end();
      }).listen(process.env.PORT);`;
      await deployServer(platform, "shop", { engine, server, manifest: SITE, prod: true });
      const agent = new Agent();
      for (
        const [method, headers, body, wanted] of [
          ["GET", {}, undefined, "- - 0"],
          ["OPTIONS", {}, undefined, "- - 0"],
          ["DELETE", {}, undefined, "- - 0"],
          ["POST", {}, undefined, "0 - 0"],
          ["POST", { "content-length": "0" }, undefined, "0 - 0"],
          ["DELETE", { "content-length": "4" }, "body", "4 - 4"],
          ["PATCH", { "transfer-encoding": "chunked" }, "body", "- chunked 4"],
        ] as const
      ) {
        const { status, headers: told } = await fetchByHost({
          ...{ port: platform.port, host: HOST, path: "/", method, headers },
          ...(body === undefined ? {} : { body }),
          // Without an agent, requests are never sent in chunks.
          ...("transfer-encoding" in headers ? { agent } : {}),
        });
        const shown = `${method} ${JSON.stringify(headers)}`;
        assert.equal(`${status} ${told["x-framing"]}`, `200 ${wanted}`, shown);
      }
    }),
);
