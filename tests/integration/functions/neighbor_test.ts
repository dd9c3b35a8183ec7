/**
 * Runs hostile functions in one project. Another project's site and functions, and the platform
 * itself, must keep working. `deno task bench functions` measures their speed.
 */
import assert from "node:assert/strict";
import { functionProcesses, openMachinery, publish, rule } from "../../helpers/upstreams.ts";
import { createProject } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

const HOSTILE = {
  loops: "export default () => { for (;;); };",
  bomb:
    "const kept = []; export default () => { for (;;) kept.push(new Uint8Array(1e6).fill(1)); };",
  never: "export default () => new Promise(() => {});",
  throws: "export default () => { throw new Error('SECRET-OF-HOSTILE'); };",
  later:
    "export default (_r, c) => { c.waitUntil(Promise.reject(new Error('later'))); return new Response('ok'); };",
  endless:
    "export default () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(65536)) }));",
  headers: "export default () => new Response('x', { headers: { 'x-a': 'a'.repeat(2e6) } });",
  splits:
    "export default () => new Response('x', { headers: [['x-a', 'b\\r\\nset-cookie: c=1']] });",
  forges:
    "export default () => new Response('x', { headers: { 'x-svc-request-id': 'forged', 'x-svc-deployment': 'forged' } });",
  platform: `export default async (request) => {
    const { host } = new URL(request.url);
    const tries = ["http://127.0.0.1:" + host.split(":")[1] + "/v1/projects", "http://localhost/", "http://169.254.169.254/"];
    return Response.json(await Promise.all(tries.map((url) => fetch(url).then(() => "GOT", () => "denied"))));
  };`,
  floods:
    "export default () => { for (let i = 0; i < 1e4; i++) console.log('x'.repeat(9999)); return new Response('ok'); };",
};

const SLOW: ReadonlySet<string> = new Set(["loops", "bomb", "never", "endless"]);

Deno.test("hostile functions harm neither other projects nor the platform", async () => {
  await using machinery = await openMachinery({ allowPrivateUpstreams: false });
  const { platform } = machinery;
  await createProject(platform, "good");
  await createProject(platform, "bad");
  await publish(platform, "good", {
    functions: { api: "let n = 0; export default () => new Response('good ' + ++n);" },
    rules: [rule("api", { type: "pipeline", steps: [{ handle: "api" }] }, "/api")],
  });
  await publish(platform, "bad", {
    functions: HOSTILE,
    rules: Object.keys(HOSTILE).map((name) =>
      rule(name, { type: "pipeline", steps: [{ handle: name }] }, `/${name}`)
    ),
  });
  const attack = (name: string) => platform.get("bad.localhost", `/${name}`).catch(() => undefined);
  const before = functionProcesses();
  // Opens clients that wait without getting a response, on separate sockets that the test can
  // close.
  const slow = await Promise.all([...SLOW].map(async (name) => {
    const conn = await Deno.connect({ hostname: "127.0.0.1", port: platform.port });
    const request = `GET /${name} HTTP/1.1\r\nHost: bad.localhost\r\n\r\n`;
    await conn.write(new TextEncoder().encode(request));
    return conn;
  }));
  await until(() => functionProcesses().some((pid) => !before.includes(pid)));
  let good = 0;
  const fast = new Map<string, Awaited<ReturnType<typeof attack>>>();
  for (let round = 0; round < 10; round++) {
    for (const name of Object.keys(HOSTILE)) {
      if (!SLOW.has(name) && !fast.has(name)) fast.set(name, await attack(name));
    }
    const [page, api, health] = await Promise.all([
      platform.get("good.localhost", "/"),
      platform.get("good.localhost", "/api"),
      platform.api("GET", "/v1/projects"),
    ]);
    assert.deepEqual([page.status, page.text], [200, "home"]);
    assert.deepEqual(
      [api.status, api.text],
      [200, `good ${++good}`],
      "the other project's process is the same",
    );
    assert.equal(health.status, 200);
  }
  for (const conn of slow) conn.close();
  assert.doesNotMatch(fast.get("throws")?.text ?? "SECRET", /SECRET/);
  assert.equal(fast.get("splits")?.headers["set-cookie"], undefined);
  assert.notEqual(fast.get("forges")?.headers["x-svc-request-id"], "forged");
  assert.notEqual(fast.get("forges")?.headers["x-svc-deployment"], "forged");
  assert.ok([200, 503].includes(fast.get("platform")?.status ?? 0));
  assert.doesNotMatch(fast.get("platform")?.text ?? "GOT", /GOT/);
  const back = await platform.get("bad.localhost", "/later");
  assert.ok([200, 503, 504].includes(back.status), "the hostile deployment itself is contained");
  assert.deepEqual(platform.logged.filter((line) => line.startsWith("error")), []);
});
