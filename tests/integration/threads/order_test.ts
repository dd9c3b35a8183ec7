import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import fc from "fast-check";
import {
  createProject,
  rawRequest,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { publish } from "../../helpers/upstreams.ts";

const HOST = "shop.localhost";
const CONNECTIONS = 8;
/** The last one is cached: the platform answers once, copies in threads answer after that. */
const PATHS = ["/", "/page", "/old", "/denied", "/up", "/up", "/up"];

/** Connections that stay open, as browsers' do. */
class Visitors {
  readonly #agents = Array.from(
    { length: CONNECTIONS },
    () => new Agent({ keepAlive: true, maxSockets: 1 }),
  );

  constructor(private readonly platform: TestPlatform) {}

  /** What each connection is answered; each answer is a status with the body's beginning. */
  all(path: string): Promise<string[]> {
    return Promise.all(this.#agents.map((agent) => this.#ask(agent, path)));
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  #ask(agent: Agent, path: string): Promise<string> {
    const { port } = this.platform;
    return new Promise((resolve, reject) => {
      const headers = { host: HOST };
      httpRequest({ hostname: "127.0.0.1", port, path, headers, agent }, async (response) => {
        const { statusCode, headers: { location = "" } } = response;
        const text = (await response.toArray()).join("");
        const said = text.startsWith("<") ? "" : text.split(" (")[0];
        resolve(`${statusCode} ${location}${said}`);
      }).on("error", reject).end();
    });
  }
}

type Step =
  | { readonly type: "deploy"; readonly redirects: boolean }
  | { readonly type: "rollback" | "unpublish" | "purge" | "write" }
  | { readonly type: "publish"; readonly denies: boolean };

const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant("deploy" as const), redirects: fc.boolean() }),
    fc.record({
      type: fc.constantFrom(
        ...["rollback" as const, "unpublish" as const, "purge" as const, "write" as const],
      ),
    }),
    fc.record({ type: fc.constant("publish" as const), denies: fc.boolean() }),
  ),
  { minLength: 4, maxLength: 8 },
);

const set = (rules: readonly object[]) => ({ schemaVersion: "EDGE_RULE_SET_V1", rules });
const at = (value: string) => ({ path: { type: "exact", value } });

/** The rules of a deployment; a function, whose answers are cached, says how often it was called. */
function rulesOf(redirects: boolean): readonly object[] {
  return [
    { id: "up", condition: at("/up"), action: { type: "pipeline", steps: [{ handle: "count" }] } },
    { id: "cached", condition: at("/up"), action: { type: "cache", ttlSeconds: 600 } },
    ...(redirects
      ? [{ id: "old", condition: at("/old"), action: { type: "redirect", target: "/page" } }]
      : []),
  ];
}

/** Carries out a step; what it returns must not depend on the number of threads. */
async function perform(platform: TestPlatform, step: Step, round: number): Promise<number> {
  const rules = "/v1/projects/shop/rules";
  switch (step.type) {
    case "deploy":
      await publish(platform, "shop", {
        files: { "index.html": `home ${round}`, "page.html": `page ${round}` },
        functions: {
          count: `let n = 0; export default () => new Response("${round}: " + ++n);`,
        },
        rules: rulesOf(step.redirects),
      });
      return 200;
    case "publish": {
      const etag = (await platform.api("GET", rules)).headers.get("etag") ?? '"none"';
      const json = set(
        step.denies ? [{ id: "no", condition: at("/denied"), action: { type: "deny" } }] : [],
      );
      return (await platform.api("PUT", rules, { json, headers: { "if-match": etag } })).status;
    }
    case "unpublish": {
      const etag = (await platform.api("GET", rules)).headers.get("etag") ?? '"none"';
      return (await platform.api("DELETE", rules, { headers: { "if-match": etag } })).status;
    }
    case "rollback":
      return (await platform.api("POST", "/v1/projects/shop/rollback")).status;
    case "write":
      return (await rawRequest(platform.port, { host: HOST, path: "/up", method: "POST" })).status;
    case "purge":
      return (await platform.api("POST", "/v1/projects/shop/purge", { json: { type: "all" } }))
        .status;
  }
}

/** What visitors see after each step, on connections that stay open from the first to the last. */
async function story(edgeThreads: number, given: readonly Step[]): Promise<string[][]> {
  const seen: string[][] = [];
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const visitors = new Visitors(platform);
    for (const [round, step] of given.entries()) {
      const status = await perform(platform, step, round);
      const views = await Promise.all(PATHS.map((path) => visitors.all(path)));
      for (const [index, answers] of views.entries()) {
        assert.equal(new Set(answers).size, 1, `${PATHS[index]} after ${JSON.stringify(step)}`);
      }
      seen.push([`${step.type} ${status}`, ...views.map(([answer]) => answer!)]);
    }
    visitors.close();
  }, { edgeThreads });
  return seen;
}

Deno.test("whatever is deployed, rolled back, published or purged, four threads show what one does", () =>
  fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const [one, four] = [await story(1, given), await story(4, given)];
      assert.deepEqual(four, one);
    }),
    { numRuns: Number(Deno.env.get("THREAD_RUNS") || 3), endOnFailure: true },
  ));
