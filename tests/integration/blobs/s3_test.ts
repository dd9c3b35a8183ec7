/**
 * Uses the program's blob store: S3 clients, servers, functions, restarts, backups and new keys.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { answerOf, bucketOf, createBlobKey } from "../../helpers/blob_client.ts";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import { createProject, rekey, start, withPlatform } from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";
import { runCli } from "../../../src/cli/_test_run.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

/** Stores and reads an object, using the variables that the platform provides. */
const PROGRAM = `
const bytes = (text) => new TextEncoder().encode(text);
const hex = (buffer) =>
  Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const sha = async (text) => hex(await crypto.subtle.digest("SHA-256", bytes(text)));
const mac = async (key, text) => {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" },
    false, ["sign"]);
  return await crypto.subtle.sign("HMAC", imported, bytes(text));
};
export async function send(env, method, key, body = "") {
  const url = new URL(env.AWS_ENDPOINT_URL_S3 + "/" + env.BLOBS_BUCKET + "/" + key);
  const date = new Date().toISOString().replace(/[:-]|\\.\\d{3}/g, "");
  const scope = date.slice(0, 8) + "/" + env.AWS_REGION + "/s3/aws4_request";
  const hash = await sha(body);
  const canonical = [method, url.pathname, "", "host:" + url.host,
    "x-amz-content-sha256:" + hash, "x-amz-date:" + date, "",
    "host;x-amz-content-sha256;x-amz-date", hash].join("\\n");
  let signing = bytes("AWS4" + env.AWS_SECRET_ACCESS_KEY);
  for (const part of scope.split("/")) signing = await mac(signing, part);
  const signed = ["AWS4-HMAC-SHA256", date, scope, await sha(canonical)].join("\\n");
  const signature = hex(await mac(signing, signed));
  const answer = await fetch(url, {
    method,
    headers: {
      "x-amz-content-sha256": hash,
      "x-amz-date": date,
      authorization: "AWS4-HMAC-SHA256 Credential=" + env.AWS_ACCESS_KEY_ID + "/" + scope +
        ", SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=" + signature,
    },
    ...(method === "PUT" ? { body } : {}),
  });
  return answer.status + " " + await answer.text();
}
`;

const SERVER = `${PROGRAM}
import { createServer } from "node:http";
createServer(async (request, response) => {
  const [, method, key] = request.url.split("/");
  response.end(await send(process.env, method, key, "by the server").catch(String));
}).listen(process.env.PORT);
`;

const FUNCTION = `${PROGRAM}
export default async (request, { env }) => {
  const [, , method, key] = new URL(request.url).pathname.split("/");
  return new Response(await send(env, method, key, "by a function"));
};`;

Deno.test("servers, functions and S3 clients reach their environment's store", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const bucket = bucketOf(platform, await createBlobKey(platform, "shop"));
    const visit = async (prod: boolean, path: string) => {
      const { urls } = await deployServer(platform, "shop", {
        engine: "node",
        server: SERVER,
        manifest: MANIFEST,
        prod,
      });
      return (await platform.get(new URL(prod ? urls.production : urls.unique).hostname, path))
        .text;
    };
    assert.equal(await visit(true, "/PUT/boat"), "200 ");
    assert.equal(await answerOf(bucket("boat")), "200 by the server");
    assert.match(await visit(false, "/GET/boat"), /^404 .*NoSuchKey/s);
    await createProject(platform, "edge");
    await publish(platform, "edge", {
      files: { "index.html": "" },
      functions: { store: FUNCTION },
      rules: [rule("store", { type: "pipeline", steps: [{ handle: "store" }] }, "/f")],
    });
    assert.equal((await platform.get("edge.localhost", "/f/PUT/boat")).text, "200 ");
    assert.equal((await platform.get("edge.localhost", "/f/GET/boat")).text, "200 by a function");
    // A key gives access only to its own store.
    assert.match(await answerOf(bucket("../preview/boat")), /^4\d\d /);
    const keys = `/v1/projects/shop/blobs/credentials`;
    const { json: { items } } = await platform.api("GET", keys);
    const own = items.find((key: { isPlatform: boolean; environment: string }) =>
      key.isPlatform && key.environment === "production"
    );
    await platform.api("DELETE", `${keys}/${own.id}`);
    assert.equal(await visit(true, "/GET/boat"), "200 by the server");
  }));

Deno.test("objects survive restarts, a new platform key, and a backup", () =>
  inTestFolder(async (folder) => {
    const data = join(folder, "data");
    const first = await start(data);
    await createProject(first, "shop");
    const key = await createBlobKey(first, "shop");
    const bucket = bucketOf(first, key);
    const large = "x".repeat(3_000_000);
    assert.equal(await answerOf(bucket("large", { method: "PUT", body: large })), "200 ");
    await first.shutdown();
    assert.equal(await rekey(data), 1);
    const archive = join(folder, "backup.tar");
    const env = { HOME: folder };
    const backup = await runCli(["backup", archive, "--data-dir", data, "--json"], { env });
    assert.equal(backup.code, 0, backup.stdout + backup.stderr);
    const restored = join(folder, "restored");
    const restore = await runCli(["restore", archive, "--data-dir", restored, "--json"], { env });
    assert.equal(restore.code, 0, restore.stdout + restore.stderr);
    const second = await start(restored);
    try {
      const again = bucketOf(second, key);
      assert.equal(await answerOf(again("large")), `200 ${large}`);
      assert.equal(await answerOf(again("large", { method: "DELETE" })), "204 ");
    } finally {
      await second.shutdown();
    }
  }));
