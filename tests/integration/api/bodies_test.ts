/**
 * Bodies from unknown clients must be limited in size and depth, and checked before they are read.
 */
import assert from "node:assert/strict";
import { endpoints } from "../../../src/contract/endpoints.ts";
import {
  createProject,
  STATIC_MANIFEST,
  type TestPlatform,
  TOKEN,
  withPlatform,
} from "../../helpers/platform.ts";

/** Sends only the headers of a request. Returns the response. */
async function sendHead(platform: TestPlatform, lines: readonly string[]): Promise<string> {
  using connection = await Deno.connect({ port: platform.port });
  const head = [...lines, "host: localhost", "content-type: application/json", "", ""].join("\r\n");
  await connection.write(new TextEncoder().encode(head));
  const buffer = new Uint8Array(4096);
  return new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
}

Deno.test("a body whose declared length is too large is refused before it is sent", () =>
  withPlatform(async (platform) => {
    const length = `content-length: ${32 * 1024 * 1024}`;
    const answer = await sendHead(platform, ["POST /v1/sign-in HTTP/1.1", length]);
    assert.match(answer, /^HTTP\/1\.1 413 /);
    assert.match(answer, /Send a body of at most 16384 bytes/);
    const key = `authorization: Bearer ${TOKEN}`;
    const accept = "accept: application/json, text/event-stream";
    const message = await sendHead(platform, ["POST /mcp HTTP/1.1", length, key, accept]);
    assert.match(message, /^HTTP\/1\.1 413 /);
  }));

Deno.test("credentials are checked before a large body is read", () =>
  withPlatform(async (platform) => {
    const length = `content-length: ${30 * 1024 * 1024}`;
    const path = "POST /v1/projects/shop/deployments HTTP/1.1";
    assert.match(await sendHead(platform, [path, length]), /^HTTP\/1\.1 401 /);
    const wrong = `authorization: Bearer ${TOKEN}x`;
    assert.match(await sendHead(platform, [path, length, wrong]), /^HTTP\/1\.1 401 /);
    const hook = `POST /v1/hooks/${"0".repeat(64)} HTTP/1.1`;
    assert.match(await sendHead(platform, [hook, length]), /^HTTP\/1\.1 40[14] /);
  }));

Deno.test("every endpoint refuses a body over its limit, regardless of the caller", () =>
  withPlatform(async (platform) => {
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const { method, bodyKind, body, maxBodyBytes, access } = endpoint;
      if (bodyKind !== "json" || body.type === "undefined" || access === "account") continue;
      if (maxBodyBytes > 16 * 1024) continue;
      const path = endpoint.path.replace(/\{\w+\}/g, "01890000-0000-7000-8000-000000000001");
      const stream = new Blob(['{"x":"', "x".repeat(maxBodyBytes), '"}']).stream();
      const answer = await platform.api(method, path, {
        body: stream,
        headers: { "content-type": "application/json" },
      });
      assert.deepEqual([answer.status, answer.json.code], [413, "payload_too_large"], name);
    }
  }));

Deno.test("deeply nested JSON is refused before parsing, even where large bodies are accepted", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const headers = { "content-type": "application/json" };
    for (const body of ["[".repeat(10_000_000), `{"files":${'{"a":'.repeat(100)}`]) {
      const answer = await platform.api("POST", "/v1/projects/shop/deployments", { body, headers });
      assert.equal(answer.status, 400);
      assert.match(answer.json.error, /nested too deeply: at most 66 levels are allowed/);
    }
    const body = "[".repeat(10_000);
    const signIn = await platform.api("POST", "/v1/sign-in", { body, headers, token: null });
    assert.match(signIn.json.error, /nested too deeply/);
  }));

Deno.test("a lone surrogate is refused in any body, and its field is named", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const headers = { "content-type": "application/json" };
    const list = (path: string) =>
      JSON.stringify({
        environment: "production",
        manifest: STATIC_MANIFEST,
        files: [
          { path: "index.html", sha256: "0".repeat(64), size: 1 },
          { path, sha256: "0".repeat(64), size: 1 },
        ],
      });
    const cases: readonly [method: string, path: string, body: string, field: string][] = [
      ["POST", "/v1/projects/shop/deployments", list("a\ud800"), "body.files[1].path"],
      ["PATCH", "/v1/projects/shop", '{"displayName":"\\udc00x"}', "body.displayName"],
      ["PUT", "/v1/projects/shop/rules", '{"rules":[{"id":"\\ud800"}]}', "body.rules[0].id"],
    ];
    for (const [method, path, body, field] of cases) {
      const answer = await platform.api(method, path, { body, headers });
      assert.equal(answer.status, 400, path);
      assert.equal(answer.json.problems[0].path, field);
      assert.match(answer.json.problems[0].message, /well-formed/);
    }
    const whole = await platform.api("POST", "/v1/projects/shop/deployments", {
      body: list("a\ud83d\ude00").replace("\ud83d\ude00", "\\ud83d\\ude00"),
      headers,
    });
    assert.equal(whole.status, 201);
  }));
