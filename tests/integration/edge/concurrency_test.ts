/**
 * Tests limits on concurrent requests to functions and servers. As soon as one request has
 * finished, the next one must start.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { until } from "../../../src/lib/_test_until.ts";
import { deployServer } from "../../helpers/compute_site.ts";
import { createProject, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";
import {
  ClientConnection,
  type HeldRequest,
  type RequestTarget,
} from "../../helpers/held_requests.ts";

const HOST = "shop.localhost";
const CONTENT = Buffer.from("half of it goes, ".repeat(2));

/**
 * If the function returned the body itself, the body would bypass the function, and the call would
 * already have finished.
 */
const ECHO = `export default async ({ body }) => {
  if (body === null) return new Response("");
  const parts = body.getReader();
  const first = await parts.read();
  return new Response(new ReadableStream({
    start: (controller) => controller.enqueue(first.value),
    pull: async (controller) => {
      const { done, value } = await parts.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }));
};`;

/** Number of requests beyond the limit. Each of them must wait until another request finishes. */
const WAITING = 40;

/** Opens more requests than the limit allows, and finishes them one by one. */
async function holdBeyond({ port }: TestPlatform, path: string, limit: number): Promise<void> {
  const wanted: RequestTarget = { host: HOST, path, content: CONTENT, isEcho: true };
  const total = limit + WAITING;
  const connections = Array.from({ length: total }, () => new ClientConnection(port));
  const begun: HeldRequest[] = [];
  const problems: unknown[] = [];
  const hold = async (connection: ClientConnection) => {
    try {
      begun.push(await connection.hold(wanted));
    } catch (error) {
      problems.push(String(error));
    }
  };
  try {
    for (const connection of connections) {
      assert.equal(await connection.get(HOST, path), "200 ");
    }
    const holding = connections.map(hold);
    for (let ended = 0; ended < total; ended++) {
      const most = Math.min(limit + ended, total);
      await until(() => problems.length > 0 || begun.length >= most);
      assert.deepEqual({ begun: begun.length, problems }, { begun: most, problems: [] });
      assert.equal(await begun[ended]!.finish(), "whole");
    }
    await Promise.all(holding);
  } finally {
    for (const connection of connections) connection.close();
  }
}

Deno.test("a function handles up to 100 calls at once", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await publish(platform, "shop", {
      functions: { echo: ECHO },
      rules: [rule("echo", { type: "pipeline", steps: [{ handle: "echo" }] })],
    });
    await holdBeyond(platform, "/", 100);
  }));

Deno.test("a server handles up to 200 requests at once", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", {
      server: `
import { createServer } from "node:http";
createServer((request, response) => request.pipe(response)).listen(process.env.PORT);
`,
      prod: true,
    });
    await holdBeyond(platform, "/api/echo", 200);
  }));
