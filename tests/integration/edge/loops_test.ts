/** Sends requests that loop through functions and rewrites on a real platform. */
import assert from "node:assert/strict";
import { type Machinery, openMachinery, proxyTo, publish, rule } from "../../helpers/upstreams.ts";
import { createProject, rawRequest } from "../../helpers/platform.ts";

/**
 * Starts a proxy to the platform under a name that can be resolved. The proxy forwards everything
 * to the host in the path.
 */
function wayIn(machinery: Machinery) {
  const asked: string[] = [];
  const vias: (string | null)[] = [];
  const { url } = machinery.serve(async (request) => {
    const [, host = "", ...rest] = new URL(request.url).pathname.split("/");
    asked.push(host.split(".")[0]!);
    vias.push(request.headers.get("via"));
    const headers = Object.fromEntries(request.headers);
    const answer = await rawRequest(machinery.platform.port, {
      method: request.method,
      host,
      path: `/${rest.join("/")}`,
      headers: { ...headers, host },
    });
    return new Response(answer.text, { status: answer.status });
  });
  return { asked, vias, to: (project: string, path = "/") => `${url}/${project}.localhost${path}` };
}

const handle = (name: string) =>
  rule(name, { type: "pipeline", steps: [{ handle: name }] }, `/${name}`);

/**
 * Returns the source of a function that requests another site, with headers that try to hide the
 * loop, and returns the response.
 */
const asks = (url: string, fields: object = {}) =>
  `export default async () => {
  const answer = await fetch(${JSON.stringify(url)}, { headers: ${JSON.stringify(fields)} });
  return new Response("told: " + await answer.text(), { status: answer.status });
};`;

Deno.test("functions that request themselves are detected and refused with 508", async (t) => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  const { asked, vias, to } = wayIn(machinery);
  for (const project of ["a", "b"]) await createProject(platform, project);
  const tricks: Readonly<Record<string, object>> = {
    plain: {},
    strips: { via: "" },
    forges: { Via: "1.1 somebody-else" },
    nominates: { connection: "via, close" },
  };
  await publish(platform, "a", {
    files: { "index.html": "home", "data.json": "{}" },
    functions: {
      ...Object.fromEntries(
        Object.entries(tricks).map(([name, fields]) => [name, asks(to("a", `/${name}`), fields)]),
      ),
      round: asks(to("b", "/round")),
      data: asks(to("a", "/data.json")),
      page: asks(to("a", "/api")),
      api: asks(to("b", "/leaf")),
      through: asks(to("a", "/up/x")),
    },
    rules: [
      ...Object.keys(tricks).map(handle),
      ...["round", "page", "api", "through"].map(handle),
      rule("data", { type: "pipeline", steps: [{ handle: "data" }] }, "/data-page"),
      proxyTo(to("b", "/leaf")),
    ],
  });
  await publish(platform, "b", {
    functions: {
      round: asks(to("a", "/round")),
      leaf: "export default () => new Response('leaf')",
    },
    rules: [handle("round"), handle("leaf")],
  });
  const get = async (path: string) => {
    asked.length = vias.length = 0;
    return await platform.get("a.localhost", path);
  };

  for (const name of Object.keys(tricks)) {
    await t.step(`its own site, with ${name} header fields`, async () => {
      const answer = await get(`/${name}`);
      assert.equal(answer.status, 508);
      assert.match(answer.text, /^(?:told: ){4}508 Loop detected: /);
      assert.equal(asked.length, 4);
      assert.deepEqual(vias.map((via) => via?.split(",").length), [1, 2, 3, 4]);
      assert.ok(vias.every((via) => /^(?:1\.1 svc-[0-9a-f]{12}(?:, |$))+$/.test(via ?? "")));
    });
  }

  await t.step("the project's log reports the loop", async () => {
    const { items } = (await platform.api("GET", "/v1/projects/a/logs")).json;
    const errors = items.map((entry: { error?: string }) => entry.error);
    assert.ok(errors.some((error?: string) => /is in a loop/.test(error ?? "")));
  });

  await t.step("A requests B, which requests A", async () => {
    const answer = await get("/round");
    assert.equal(answer.status, 508);
    assert.deepEqual(asked, ["b", "a", "b", "a"]);
  });

  await t.step("a client's Via header is kept", async () => {
    asked.length = vias.length = 0;
    await platform.get("a.localhost", "/plain", { via: "1.0 fred" });
    assert.match(vias[0] ?? "", /^1\.0 fred, 1\.1 svc-/);
  });

  for (
    const [path, text] of [
      ["/data-page", "told: {}"],
      ["/page", "told: told: leaf"],
      ["/through", "told: leaf"],
    ] as const
  ) {
    await t.step(`a request that only resembles a loop is served: ${path}`, async () => {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.text], [200, text]);
    });
  }
});
