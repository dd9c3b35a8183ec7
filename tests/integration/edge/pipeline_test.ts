/**
 * Tests pipelines on a real platform: gates from broader rules, observers of failures, and bodies
 * that break off.
 */
import assert from "node:assert/strict";
import { openMachinery, publish, rule } from "../../helpers/upstreams.ts";
import { createProject } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

const HOST = "shop.localhost";
const GATE = { use: "auth", mode: "request", failure: "closed" };
const AUTH = `export default (request: Request) => {
  if (request.headers.get("x-key") === "broken") throw new Error("no answer");
  if (request.headers.get("x-key") !== "right") return new Response("Log in", { status: 401 });
};`;

const wholeSite = rule("whole-site", { type: "pipeline", steps: [GATE, { handle: "origin" }] });
const narrower = (more: object, steps: object[] = []) =>
  rule("reports", {
    type: "pipeline",
    ...more,
    steps: [...steps, { handle: "origin" }, { use: "mark", mode: "response" }],
  }, "/reports/");

Deno.test("a broader rule's gate applies to narrower rules unless they opt out", async (t) => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  const functions = {
    auth: AUTH,
    mark: `export default (_: Request, context: { response: Response }) => {
      const marked = new Response(context.response.body, context.response);
      marked.headers.set("x-mark", "1");
      return marked;
    };`,
  };
  const files = { "index.html": "home", "reports/index.html": "reports" };
  const live = (rules: object[]) => publish(platform, "shop", { files, functions, rules });
  const answers = async (path: string) => {
    const told: [number, boolean][] = [];
    for (const key of ["right", "wrong", "broken"]) {
      const { status, headers } = await platform.get(HOST, path, { "x-key": key });
      told.push([status, headers["x-mark"] === "1"]);
    }
    return told;
  };

  for (const [name, more] of [["missing", {}], ["true", { inheritGate: true }]] as const) {
    await t.step(`inheritGate ${name}: a rule without the gate is refused`, async () => {
      await live([wholeSite]);
      const { headers } = await platform.api("GET", "/v1/projects/shop/rules");
      const answer = await platform.api("PUT", "/v1/projects/shop/rules", {
        headers: { "if-match": headers.get("etag") ?? "" },
        json: { schemaVersion: "EDGE_RULE_SET_V1", rules: [wholeSite, narrower(more)] },
      });
      assert.ok([400, 422].includes(answer.status), JSON.stringify(answer.json));
      assert.match(answer.json.error, /Repeat the request gate "auth"/);
      assert.deepEqual(await answers("/reports/"), [[200, false], [401, false], [503, false]]);
    });
    await t.step(`inheritGate ${name}: a repeated gate applies`, async () => {
      await live([wholeSite, narrower(more, [GATE])]);
      assert.deepEqual(await answers("/reports/"), [[200, true], [401, false], [503, false]]);
    });
  }
  await t.step("inheritGate false: only that rule is open", async () => {
    await live([wholeSite, narrower({ inheritGate: false })]);
    assert.deepEqual(await answers("/reports/"), [[200, true], [200, true], [200, true]]);
    assert.deepEqual(await answers("/"), [[200, false], [401, false], [503, false]]);
  });
});

Deno.test("observers see what the client gets, even from a failed pipeline", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    functions: {
      auth: AUTH,
      audit: `export default ({ url }: Request, { response }: { response: Response }) =>
        console.info("saw", new URL(url).pathname, response.status, response.headers.get("x-svc-deployment") !== null);`,
    },
    rules: [
      rule("all", {
        type: "pipeline",
        steps: [GATE, { handle: "origin" }, { use: "audit", mode: "observe" }],
      }),
    ],
  });
  const keys: Readonly<Record<string, number>> = { right: 200, wrong: 401, broken: 503 };
  for (const [key, status] of Object.entries(keys)) {
    assert.equal((await platform.get(HOST, "/", { "x-key": key })).status, status);
  }
  let seen: string[] = [];
  await until(async () => {
    const { items } = (await platform.api("GET", "/v1/projects/shop/logs?limit=100")).json;
    seen = items.flatMap(({ message }: { message?: string }) =>
      message?.startsWith("saw") ? [message] : []
    );
    return seen.length === 3;
  });
  assert.deepEqual(seen.sort(), ["saw / 200 true", "saw / 401 false", "saw / 503 true"]);
});

Deno.test("a function that throws in its stream cuts off only its own response", async () => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    functions: {
      throws: `let n = 0;
      export default () => { n = 0; return new Response(new ReadableStream({
        async pull(controller) {
          if (n++ > 0) {
            // The compiled program's runtime loses a chunk if an error follows immediately.
            await new Promise((resolve) => setTimeout(resolve, 200));
            throw new Error("SECRET-OF-AUTHOR");
          }
          controller.enqueue(new TextEncoder().encode("begin"));
        },
      })); }`,
    },
    rules: [rule("throws", { type: "pipeline", steps: [{ handle: "throws" }] }, "/throws")],
  });
  using conn = await Deno.connect({ hostname: "127.0.0.1", port: platform.port });
  const request = `GET /throws HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  await conn.write(new TextEncoder().encode(request));
  const answer = await new Response(conn.readable).text();
  assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[^]*begin\r\n$/, "there is no last chunk");
  assert.doesNotMatch(answer, /SECRET/);
  assert.deepEqual(platform.logged.filter((line) => line.startsWith("error")), []);
});
