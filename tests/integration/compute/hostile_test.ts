/**
 * Runs a hostile server's escape attempts on each engine and in each sandbox. Each must end as
 * `fixtures/compute/hostile/expected.json` specifies, and the platform and a neighboring server
 * must keep working.
 */
import assert from "node:assert/strict";
import * as z from "zod";
import {
  computeServer,
  FIXTURES,
  type TestEngine,
  type TestOptions,
  type TestServer,
  withoutNamespaces,
} from "../../helpers/compute_server.ts";
import { DenoStore } from "../../../src/store/mod.ts";

const outcomes = z.record(z.string(), z.string());

/**
 * Expected outcomes. The ones in `both` apply to both engines unless an engine's own list contains
 * the attempt. On Node, descriptors belong to the process, so an attempt that uses them kills only
 * its own process.
 */
const EXPECTED = z.strictObject({
  both: outcomes,
  deno: outcomes,
  node: outcomes,
  without_namespaces: outcomes,
}).parse(JSON.parse(Deno.readTextFileSync(`${FIXTURES}hostile/expected.json`)));

/** The outcome; `missing` if the engine lacks the module that the attempt imports. */
const answer = z.object({
  got: z.string().optional(),
  denied: z.string().optional(),
  missing: z.string().optional(),
});

/** Returns an attempt's outcome, in the format of the golden file. */
async function outcome({ get }: TestServer, name: string, expected: string): Promise<string> {
  const result = await get(`/${name}`);
  if (result.type === "failed") return result.reason;
  const { got, denied, missing } = answer.parse(await new Response(result.response.body).json());
  if (denied !== undefined) return "denied";
  if (missing !== undefined) return `missing: ${missing}`;
  if (!expected.includes("harmless")) return `escaped: ${got}`;
  return expected.includes("harmless:") ? `harmless: ${got}` : "harmless";
}

/** Describes all files in a folder and its subfolders. */
async function list(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await list(path));
    else if (isFile && !name.startsWith("kv")) {
      const { mode } = await Deno.stat(path);
      found.push(`${path} ${mode} ${(await Deno.readFile(path)).length}`);
    }
  }
  return found.sort();
}

/** Creates a folder with a deployment and, next to it, the platform's files. */
async function prepare() {
  const above = await Deno.makeTempDir({ prefix: "svc-hostile-test-" });
  // Every user can read the file, so nothing but the sandbox prevents a server from accessing it.
  await Deno.chmod(above, 0o755);
  const root = `${above}/platform`;
  await Deno.mkdir(root);
  await Deno.writeTextFile(`${above}/package.json`, '{"name":"above"}');
  const directory = `${root}/deployment`;
  await Deno.mkdir(directory);
  for await (const { name } of Deno.readDir(`${FIXTURES}hostile`)) {
    await Deno.copyFile(`${FIXTURES}hostile/${name}`, `${directory}/${name}`);
  }
  await Deno.mkdir(`${root}/data`);
  await Deno.writeTextFile(`${root}/data/secret.json`, '{"key":"svc_secret"}');
  await Deno.writeTextFile(`${root}/package.json`, '{"type":"module"}');
  await Deno.symlink(`${root}/data/secret.json`, `${directory}/link.txt`);
  await Deno.mkdir(`${root}/other`);
  await Deno.writeTextFile(`${root}/other/entry.mjs`, "export default 'other';");
  await Deno.writeTextFile(`${root}/other/plain.cjs`, "module.exports = 'other';");
  const kv = await DenoStore.open(`${root}/data/kv`);
  await kv.set(["secret"], "svc_secret");
  const unix = Deno.listen({ transport: "unix", path: `${root}/data/socket` });
  const platform = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("platform"),
  );
  const platformV6 = Deno.listen({ hostname: "::1", port: 0 });
  const env = {
    SECRET_FILE: `${root}/data/secret.json`,
    OTHER_DEPLOYMENT: `${root}/other`,
    KV_PATH: `${root}/data/kv`,
    UNIX_SOCKET: `${root}/data/socket`,
    PLATFORM_PORT: String(platform.addr.port),
    PLATFORM_PORT_V6: String((platformV6.addr as Deno.NetAddr).port),
    PLATFORM_PID: String(Deno.pid),
  };
  const given = ["OWN", "NODE_ENV", "HOME", "PORT", "HOST", "TMPDIR", "TMP", "TEMP"];
  return {
    directory,
    env: { ...env, OWN: [...Object.keys(env), ...given].join() },
    files: () => list(root),
    platformUrl: `http://127.0.0.1:${platform.addr.port}/`,
    secret: async () => (await kv.get(["secret"])).value,
    async [Symbol.asyncDispose]() {
      kv.close();
      unix.close();
      platformV6.close();
      await platform.shutdown();
      await Deno.remove(above, { recursive: true });
    },
  };
}

/**
 * Sends requests to the neighboring server continuously. Returns a function that stops this and
 * returns the unexpected responses.
 */
function watch(neighbor: TestServer): () => Promise<readonly string[]> {
  const wrong: string[] = [];
  let over = false;
  const watching = (async () => {
    while (!over) {
      const answer = await neighbor.ask("/");
      if (answer !== "200 hello /") wrong.push(answer);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async () => {
    over = true;
    await watching;
    return wrong;
  };
}

interface Wall {
  readonly name: string;
  readonly engine: TestEngine;
  readonly attempts: Readonly<Record<string, string>>;
  readonly options?: TestOptions;
  readonly ignore?: boolean;
}

const { both, deno, node } = EXPECTED;

const WALLS: readonly Wall[] = [
  { name: "on Deno", engine: "deno", attempts: { ...both, ...deno } },
  {
    name: "on Node",
    engine: "node",
    attempts: { ...both, ...node },
    // Non-root users may not be able to create namespaces.
    ignore: Deno.uid() !== 0,
  },
  {
    name: "on Node without namespaces",
    engine: "node",
    attempts: { ...both, ...node, ...EXPECTED.without_namespaces },
    options: { spawn: withoutNamespaces },
    ignore: Deno.uid() !== 0,
  },
];

/** Maximum time for an attempt that is denied or stops its server, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Runs all attempts. Returns those with an unexpected outcome. */
async function attack(
  attempts: Readonly<Record<string, string>>,
  options: TestOptions,
): Promise<readonly string[]> {
  const differing: string[] = [];
  let hostile = computeServer({
    ...options,
    tmpMb: 16,
    limits: { memoryMb: 256, timeoutMs: PATIENCE_MS },
  });
  const isFatal = (expected: string) => expected !== "denied" && !expected.startsWith("harmless");
  const all = Object.entries(attempts);
  const last = [
    ...all.filter((each) => !isFatal(each[1])),
    ...all.filter((each) => isFatal(each[1])),
  ];
  for (const [name, expected] of last) {
    if (isFatal(expected)) {
      await hostile[Symbol.asyncDispose]();
      const timeoutMs = expected.includes("timeout") ? 2000 : PATIENCE_MS;
      hostile = computeServer({ ...options, limits: { timeoutMs } });
      await hostile.server.start();
    }
    const came = await outcome(hostile, name, expected);
    if (!expected.split(" or ").includes(came)) {
      differing.push(`${name}: ${came}, expected ${expected}`);
    }
  }
  await hostile[Symbol.asyncDispose]();
  return differing;
}

for (const { name, engine, attempts, options, ignore = false } of WALLS) {
  Deno.test({
    name: `a hostile server reaches nothing and disturbs nothing ${name}`,
    ignore,
    fn: async () => {
      assert.ok(Object.keys(attempts).length >= 100);
      await using ground = await prepare();
      const before = await ground.files();
      await using neighbor = computeServer({ limits: { timeoutMs: PATIENCE_MS } });
      const stopWatching = watch(neighbor);
      assert.deepEqual(await attack(attempts, { ...ground, engine, ...options }), []);
      assert.deepEqual(await stopWatching(), []);
      assert.equal(await (await fetch(ground.platformUrl)).text(), "platform");
      assert.equal(await ground.secret(), "svc_secret");
      assert.deepEqual(await ground.files(), before);
    },
  });
}
