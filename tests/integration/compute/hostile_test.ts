/**
 * Escape attempts of a hostile server: each ends as `fixtures/compute/hostile/
 * expected.json` says, while platform and neighbour go on.
 */
import assert from "node:assert/strict";
import { computeServer, FIXTURES, type TestServer } from "../../helpers/compute_server.ts";

const EXPECTED: Readonly<Record<string, string>> = JSON.parse(
  Deno.readTextFileSync(`${FIXTURES}hostile/expected.json`),
);

/** What an attempt came to, in the words of the golden file. */
async function outcome({ get }: TestServer, name: string): Promise<string> {
  const result = await get(`/${name}`);
  if (result.type === "failed") return result.reason;
  const text = await new Response(result.response.body).text();
  const { got, denied } = JSON.parse(text) as { got?: string; denied?: string };
  if (denied !== undefined) return "denied";
  return EXPECTED[name]!.startsWith("harmless") ? `harmless: ${got}` : `escaped: ${got}`;
}

/** A folder with a deployment and, beside it, what belongs to the platform. */
async function prepare() {
  const above = await Deno.makeTempDir({ prefix: "svc-hostile-test-" });
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
  const kv = await Deno.openKv(`${root}/data/kv`);
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
  const OWN = [...Object.keys(env), "OWN", "PORT", "HOST", "TMPDIR", "TMP", "TEMP"].join();
  return {
    directory,
    env: { ...env, OWN },
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

/** Asks the neighbour all the time; tells the answers that were not right. */
function watch(neighbour: TestServer): () => Promise<readonly string[]> {
  const wrong: string[] = [];
  let over = false;
  const watching = (async () => {
    while (!over) {
      const answer = await neighbour.ask("/");
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

Deno.test("a hostile server gets nothing, and disturbs nobody", async () => {
  await using ground = await prepare();
  await using neighbour = computeServer({ limits: { timeoutMs: 10_000 } });
  const stopWatching = watch(neighbour);
  const differing: string[] = [];
  const attempts = Object.entries(EXPECTED);
  assert.ok(attempts.length >= 30);
  let hostile = computeServer(ground);
  for (const [name, expected] of attempts) {
    const fatal = expected !== "denied" && !expected.startsWith("harmless");
    if (fatal) {
      await hostile[Symbol.asyncDispose]();
      hostile = computeServer({ ...ground, limits: { timeoutMs: 2000 } });
      await hostile.server.start();
    }
    const came = await outcome(hostile, name);
    if (!expected.split(" or ").includes(came)) {
      differing.push(`${name}: ${came}, not ${expected}`);
    }
  }
  await hostile[Symbol.asyncDispose]();
  assert.deepEqual(differing, []);
  assert.deepEqual(await stopWatching(), []);
  assert.equal(await (await fetch(ground.platformUrl)).text(), "platform");
  assert.equal(await ground.secret(), "svc_secret");
});
