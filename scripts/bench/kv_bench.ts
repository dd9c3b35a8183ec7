/**
 * The key-value store, over HTTP as servers use it, compared with Redis from Debian, which also
 * flushes each write (`appendfsync always`).
 *
 * @module
 */
import { join } from "node:path";
import { openPlatformKv } from "../../src/platform/core/store/mod.ts";
import { EnvironmentStore } from "../../src/platform/environments/mod.ts";
import { createKv } from "../../src/platform/kv/create_kv.ts";
import { ProjectStore } from "../../src/platform/projects/mod.ts";
import { systemClock, systemRandom } from "../../src/lib/clock.ts";
import { load } from "./_load.ts";
import { withRedis } from "./_redis.ts";
import { formatTable, median, whole } from "./_table.ts";

const CLIENTS = 50;
const SECONDS = 3;
const ROUNDS = 3;
const KEYS = 1000;
const VALUE_BYTES = 100;

interface Rates {
  readonly reads: number;
  readonly writes: number;
}

/** Creates a Lua script with which wrk requests the keys in turn. */
const script = (method: string): string => `
local value = string.rep("x", ${VALUE_BYTES})
local n = 0
request = function()
  n = n % ${KEYS} + 1
  return wrk.format("${method}", "/v1/value?key=key" .. n, nil, ${
  method === "PUT" ? "value" : "nil"
})
end
`;

/** Sets every key that is read later. */
async function fill(
  { SVC_KV_URL, SVC_KV_TOKEN }: Readonly<Record<string, string>>,
): Promise<void> {
  const headers = { authorization: `Bearer ${SVC_KV_TOKEN}` };
  const body = "x".repeat(VALUE_BYTES);
  for (let first = 1; first <= KEYS; first += CLIENTS) {
    await Promise.all(Array.from({ length: CLIENTS }, async (_, index) => {
      const url = `${SVC_KV_URL}/v1/value?key=key${first + index}`;
      const { status } = await fetch(url, { method: "PUT", headers, body });
      if (status !== 204) throw new Error(`The store responded with ${status}`);
    }));
  }
}

async function measureOwn(folder: string): Promise<Rates> {
  const onTrouble = (message: string): void => {
    throw new Error(message);
  };
  const { kv, close } = await openPlatformKv(join(folder, "kv.sqlite3"), {
    env: {},
    onTrouble,
    onDamaged: onTrouble,
  });
  const { kvFor, capability } = createKv(
    { kv, isOnlyWriter: true, now: systemClock, random: systemRandom, onTrouble },
    {
      projects: new ProjectStore(kv),
      environments: new EnvironmentStore(kv),
      queueSecretOf: () => "",
      answerQueue: () => Promise.reject(new Error("No response was sent")),
    },
  );
  try {
    const owner = { deploymentId: "bench", projectId: "bench", environment: "production" };
    const { address, variables } = kvFor(owner);
    const run = async (method: string) => {
      const path = join(folder, `${method}.lua`);
      await Deno.writeTextFile(path, script(method));
      const { requestsPerSecond } = await load({
        ...address,
        path: "/",
        script: path,
        seconds: SECONDS,
        connections: CLIENTS,
        headers: { authorization: `Bearer ${variables.SVC_KV_TOKEN}` },
      });
      return requestsPerSecond;
    };
    const writes = await run("PUT");
    // On a slow machine, the load may not have written every key.
    await fill(variables);
    return { reads: await run("GET"), writes };
  } finally {
    await capability.close?.();
    await close();
  }
}

function measureRedis(folder: string): Promise<Rates> {
  return withRedis(folder, async ({ measure }) => {
    const load = { clients: CLIENTS, valueBytes: VALUE_BYTES, keys: KEYS };
    // Measures Redis for about as long as svc.
    const rough = await measure({ ...load, test: "set", requests: 20_000 });
    const writes = await measure({ ...load, test: "set", requests: Math.ceil(rough * SECONDS) });
    return { reads: await measure({ ...load, test: "get", requests: 200_000 }), writes };
  });
}

async function inFolder(measure: (folder: string) => Promise<Rates>): Promise<Rates> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-kv-" });
  try {
    return await measure(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs the bench, alternating between the two stores, and returns its report with the medians. */
export async function benchKv(): Promise<string> {
  const [own, redis]: [Rates[], Rates[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    own.push(await inFolder(measureOwn));
    redis.push(await inFolder(measureRedis));
  }
  const rows = (["reads", "writes"] as const).map((kind) => {
    const [ours, theirs] = [own, redis].map((all) => median(all.map((each) => each[kind])));
    return [kind, whole(ours!), whole(theirs!), (ours! / theirs!).toFixed(2)];
  });
  const headings = ["a second", "svc kv over HTTP", "Redis, appendfsync always", "ratio"];
  return `${CLIENTS} clients, ${VALUE_BYTES} bytes, medians of ${ROUNDS} rounds\n\n` +
    formatTable(headings, rows);
}
