/**
 * The device flow over HTTP, and what credentials cost a request.
 *
 * @module
 */
import { join } from "node:path";
import { type BenchPlace, describeProgram, withBenchPlace } from "./_bench_place.ts";
import { load } from "./_load.ts";
import { formatTable, median, whole } from "./_table.ts";

const ROUNDS = 3;
/** Most that authentication may add to a warm request, in microseconds. */
const MAX_ADDED_US = 50;

/** Each request comes from another address, as the platform limits what one may do. */
const FROM_EVERYWHERE = `
local n = 0
local function from()
  n = n + 1
  return string.format("10.%d.%d.%d", math.floor(n / 65536) % 256, math.floor(n / 256) % 256, n % 256)
end
`;

const post = (path: string, form: string): string =>
  `${FROM_EVERYWHERE}
request = function()
  return wrk.format("POST", "${path}", {
    ["Host"] = wrk.headers["Host"],
    ["Content-Type"] = "application/x-www-form-urlencoded",
    ["X-Forwarded-For"] = from(),
  }, "${form}")
end
`;

const get = (path: string, headers: Readonly<Record<string, string>>): string => {
  const fields = Object.entries(headers).map(([name, value]) => `["${name}"] = "${value}"`);
  return `
request = function()
  return wrk.format("GET", "${path}", { ["Host"] = wrk.headers["Host"], ${fields.join(", ")} })
end
`;
};

interface Credentials {
  readonly session: string;
  readonly accessToken: string;
  /** Nobody has decided about it. */
  readonly pendingCode: string;
}

/** Signs up, and approves one of two tools. */
async function makeCredentials({ platform }: BenchPlace): Promise<Credentials> {
  const call = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${platform.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "sec-fetch-site": "same-origin", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    const text = await response.text();
    return {
      cookie: response.headers.get("set-cookie"),
      json: text === "" ? {} : JSON.parse(text),
    };
  };
  const person = { name: "Bench", email: "bench@example.com", password: "a long bench password" };
  const { cookie } = await call("/v1/sign-up", person);
  const session = cookie!.split(";")[0]!;
  const workspace = await call("/v1/workspaces", { slug: "bench", name: "Bench" }, {
    cookie: session,
  });
  const [device, pending] = await Promise.all([call("/v1/device", {}), call("/v1/device", {})]);
  await call(`/v1/device/requests/${device.json.user_code}/approve`, {
    workspaceId: workspace.json.id,
  }, { cookie: session });
  const { json } = await call("/v1/device/token", { device_code: device.json.device_code });
  return { session, accessToken: json.access_token, pendingCode: pending.json.device_code };
}

interface Case {
  readonly name: string;
  readonly script: string;
  readonly expects?: "refusal";
}

function casesFor({ session, accessToken, pendingCode }: Credentials): readonly Case[] {
  const token = { Authorization: `Bearer ${accessToken}` };
  return [
    { name: "GET /v1/health, for anyone", script: get("/v1/health", {}) },
    { name: "GET /v1/me, access token", script: get("/v1/me", token) },
    {
      name: "GET /v1/me, session",
      script: get("/v1/me", { Cookie: session, "X-Workspace": "bench" }),
    },
    {
      name: "POST /v1/device/token, pending",
      script: post("/v1/device/token", `device_code=${pendingCode}`),
      expects: "refusal",
    },
    {
      name: "POST /v1/device/token, unknown",
      script: post("/v1/device/token", `device_code=${"0".repeat(64)}`),
      expects: "refusal",
    },
  ];
}

async function measure(place: BenchPlace, { name, script, expects }: Case): Promise<number> {
  const path = join(place.folder, `${name.replaceAll(/\W+/g, "-")}.lua`);
  await Deno.writeTextFile(path, script);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { requestsPerSecond } = await load({
      port: place.platform.port,
      host: "localhost",
      path: "/",
      seconds: 1,
      script: path,
      ...(expects === undefined ? {} : { expects }),
    }).catch((error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
    rates.push(requestsPerSecond);
  }
  return median(rates);
}

/** Below what the platform starts in a minute, so this is no load of seconds but a burst. */
const STARTS = 900;
const AT_ONCE = 32;

/** Starts of the device flow in a second. */
async function measureStarts({ platform }: BenchPlace): Promise<number> {
  let next = 0;
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let index = next++; index < STARTS; index = next++) {
      const response = await fetch(`${platform.url}/v1/device`, {
        method: "POST",
        headers: { "x-forwarded-for": `10.1.${index >> 8}.${index & 255}` },
        body: new URLSearchParams({ client_id: "bench" }),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`POST /v1/device: ${answer}`);
    }
  }));
  return STARTS * 1000 / (performance.now() - started);
}

/** Runs the bench and returns its report. */
export async function benchAccounts(): Promise<string> {
  return await withBenchPlace(async (place) => {
    const rows: string[][] = [];
    let open: number | undefined;
    for (const item of casesFor(await makeCredentials(place))) {
      const rate = await measure(place, item);
      open ??= rate;
      const added = 1e6 / rate - 1e6 / open;
      const isAuthorized = item.name.startsWith("GET /v1/me");
      const verdict = added < MAX_ADDED_US ? "met" : "MISSED";
      rows.push([item.name, whole(rate), added.toFixed(1), isAuthorized ? verdict : ""]);
    }
    rows.push(["POST /v1/device", whole(await measureStarts(place)), "", ""]);
    const headings = ["request", "a second", "added us", `aim ${MAX_ADDED_US}`];
    return `Accounts and the device flow (svc ${describeProgram()})\n\n${
      formatTable(headings, rows)
    }`;
  }, { args: ["--trust-proxy", "127.0.0.0/8"] });
}
