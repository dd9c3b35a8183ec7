/** Runs the public test suite for HTTP caches against the platform and through a front edge. */
// deno-lint-ignore-file no-console -- people run its long form to see the numbers
import assert from "node:assert/strict";
import { join } from "node:path";
import { addEdge } from "../../helpers/front_edge.ts";
import { createProject } from "../../helpers/platform.ts";
import { openMachinery, proxyTo, publish, rule } from "../../helpers/upstreams.ts";

/** The folder of the `http-cache-tests` package, with its dependencies installed. */
const SUITE = Deno.env.get("CACHE_SUITE");

const HOST = "suite.localhost";

/** Resolves hosts under `localhost`, as browsers do but Node does not. */
const RESOLVER = `
import dns from "node:dns";
const { lookup } = dns;
dns.lookup = (host, ...rest) => lookup(host.endsWith(".localhost") ? "127.0.0.1" : host, ...rest);
`;

/** Runs all tests in the suite and prints the result of each. */
const RUNNER = `
const [suite, base] = process.argv.slice(-2);
const { runTests, getResults } = await import(suite + "/client/runner.mjs");
const { default: groups } = await import(suite + "/tests/index.mjs");
await runTests(groups, fetch, false, base);
const results = getResults();
const tests = groups.flatMap((group) => group.tests).filter(({ id }) => id in results);
console.log(JSON.stringify(tests.map(({ id, kind = "required", depends_on: needed = [] }) => {
  const [type, reason] = results[id] === true ? ["passed", ""] : results[id];
  const isMoot = needed.some((each) => results[each] !== true);
  return { id, reason, type: type === "passed" ? type : isMoot ? "moot" : kind + " " + type };
})));
`;

interface Result {
  readonly id: string;
  readonly type: string;
  readonly reason: string;
}

const asModule = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;

/** Starts the suite's server. Returns the server's URL and a function that stops the server. */
async function startOrigin(folder: string) {
  const child = new Deno.Command("node", {
    args: [join(SUITE!, "server/server.mjs")],
    env: {
      npm_config_protocol: "https",
      npm_config_port: "0",
      npm_config_pidfile: join(folder, "suite.pid"),
      npm_config_keyfile: join(folder, "upstream.key"),
      npm_config_certfile: join(folder, "upstream.crt"),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  const port = /:(\d+)\/\s*$/.exec(value)?.[1];
  assert.ok(port, value);
  return {
    url: `https://localhost:${port}`,
    async stop() {
      child.kill("SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}

async function runSuite(port: number): Promise<readonly Result[]> {
  const { success, stdout, stderr } = await new Deno.Command("node", {
    args: [
      ...["--no-warnings", "--import", asModule(RESOLVER)],
      ...["--input-type=module", "--eval", RUNNER, "--", SUITE!, `http://${HOST}:${port}`],
    ],
    stdin: "null",
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** The suite's result for a requirement that the cache does not meet. */
const FAILED = "required Assertion";

const countsOf = (results: readonly Result[]) =>
  JSON.stringify(Object.fromEntries(
    Object.entries(Object.groupBy(results, ({ type }) => type))
      .map(([type, each]) => [type, each!.length]),
  ));

const idsOf = (results: readonly Result[], type: string) =>
  results.filter((each) => each.type === type).map(({ id }) => id);

Deno.test({
  name: "the public cache suite passes on the platform and through a front edge",
  ignore: SUITE === undefined,
  async fn() {
    await using machinery = await openMachinery();
    const { platform } = machinery;
    const origin = await startOrigin(machinery.folder);
    try {
      await createProject(platform, "suite");
      await publish(platform, "suite", {
        rules: [
          rule("keep", { type: "cache", ttlSeconds: 1 }, "/test/"),
          proxyTo(origin.url, "/"),
        ],
      });
      const edge = await addEdge(platform, "far");
      try {
        const direct = await runSuite(platform.port);
        const through = await runSuite(edge.port);
        console.log("platform", countsOf(direct), "edge", countsOf(through));
        for (const [at, { id, type, reason }] of through.entries()) {
          const own = direct[at]!;
          if (type !== own.type) console.log(id, own.type, own.reason, "edge", type, reason);
          else if (type === FAILED) console.log(id, reason);
        }
        const failed = new Set(idsOf(direct, FAILED));
        assert.deepEqual(idsOf(through, FAILED).filter((id) => !failed.has(id)), []);
      } finally {
        await edge.kill();
      }
    } finally {
      await origin.stop();
    }
  },
});
