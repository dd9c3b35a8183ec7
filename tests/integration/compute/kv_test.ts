/** Accesses the key-value store from servers inside their sandbox. */
import assert from "node:assert/strict";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import { onEachEngine } from "../../helpers/compute_server.ts";
import { createProject, withPlatform } from "../../helpers/platform.ts";

/**
 * A server that counts its visits in the store, and tries to connect to the platform's own port.
 */
const SERVER = `
import { createServer } from "node:http";
const { SVC_KV_URL, SVC_KV_TOKEN, SVC_URL } = process.env;
const headers = { authorization: "Bearer " + SVC_KV_TOKEN };
const key = SVC_KV_URL + "/v1/value?key=visits";
createServer(async (request, response) => {
  if (request.url === "/count") {
    const found = await fetch(key, { headers });
    const visits = found.ok ? Number(await found.text()) + 1 : 1;
    await fetch(key, { method: "PUT", headers, body: String(visits) });
    return response.end(String(visits));
  }
  if (request.url === "/platform") {
    const port = new URL(SVC_URL).port;
    return fetch("http://127.0.0.1:" + port + "/v1/health").then(
      ({ status }) => response.end(status === 403 ? "closed" : "open"),
      () => response.end("closed"),
    );
  }
  response.end("here");
}).listen(process.env.PORT);
`;

onEachEngine(
  "a server's values outlive its deployment, and it reaches no other port",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      const visit = async (prod: boolean, path: string) => {
        const { urls } = await deployServer(platform, "shop", {
          engine,
          server: SERVER,
          manifest: MANIFEST,
          prod,
        });
        const { hostname } = new URL(prod ? urls.production : urls.unique);
        return (await platform.get(hostname, path)).text;
      };
      assert.equal(await visit(true, "/count"), "1");
      assert.equal(await visit(true, "/count"), "2");
      assert.equal(await visit(false, "/count"), "1");
      assert.equal(await visit(true, "/platform"), "closed");
    }),
);
