/**
 * The device flow over HTTP, and the time that credentials add to each request.
 *
 * @module
 */
import { join } from "node:path";
import { type BenchPlace, describeProgram, withHttpsPlace } from "./_bench_place.ts";
import { type Cost, loadProcess, type Protocol, PROTOCOL_NAMES, PROTOCOLS } from "./_load.ts";
import { formatTable, median, whole } from "./_table.ts";

const ROUNDS = 3;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const CLIENT = { client_id: "bench" };
/** Maximum time that authentication may add to a warm request, in microseconds. */
const MAX_ADDED_US = 50;

/** Each request uses a different address, because the platform limits requests per address. */
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

/** Returns the API's URL over plain TCP, regardless of the public URL. */
const apiOf = ({ platform }: BenchPlace): string => `http://localhost:${platform.port}`;

interface Credentials {
  readonly session: string;
  readonly accessToken: string;
  /** The code of a device login that is still pending. */
  readonly pendingCode: string;
}

/** Signs up, starts two device logins, and approves one of them. */
async function makeCredentials(place: BenchPlace): Promise<Credentials> {
  const call = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${apiOf(place)}${path}`, {
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
  const [device, pending] = await Promise.all([
    call("/v1/device", CLIENT),
    call("/v1/device", CLIENT),
  ]);
  await call(`/v1/device/requests/${device.json.user_code}/approve`, {
    workspaceId: workspace.json.id,
  }, { cookie: session });
  const { json } = await call("/v1/device/token", {
    ...CLIENT,
    grant_type: GRANT_TYPE,
    device_code: device.json.device_code,
  });
  return { session, accessToken: json.access_token, pendingCode: pending.json.device_code };
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * wrk creates its requests with this script. h2load cannot run scripts, so there is no row for
   * HTTP/2.
   */
  readonly script?: string;
  readonly expects?: "refusal";
}

const pollOf = (name: string, code: string): Case => {
  const path = "/v1/device/token";
  const form = new URLSearchParams({ ...CLIENT, grant_type: GRANT_TYPE, device_code: code });
  const script = post(path, form.toString());
  return { name: `POST ${path}, ${name}`, path, script, expects: "refusal" };
};

function casesFor({ session, accessToken, pendingCode }: Credentials): readonly Case[] {
  const me = "/v1/me";
  return [
    { name: "GET /v1/health, for anyone", path: "/v1/health" },
    {
      name: `GET ${me}, access token`,
      path: me,
      headers: { Authorization: `Bearer ${accessToken}` },
    },
    {
      name: `GET ${me}, session`,
      path: me,
      headers: { Cookie: session, "X-Workspace": "bench" },
    },
    pollOf("pending", pendingCode),
    pollOf("unknown", "0".repeat(64)),
  ];
}

async function measure(
  { folder, platform }: BenchPlace,
  { name, script, ...given }: Case,
  protocol: Protocol,
): Promise<{ readonly rate: number; readonly processorUs: number }> {
  const file = join(folder, `${name.replaceAll(/\W+/g, "-")}.lua`);
  if (script !== undefined) await Deno.writeTextFile(file, script);
  const costs: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const cost = await loadProcess({
      ...given,
      protocol,
      pid: platform.pid,
      port: protocol === "http" ? platform.port : platform.httpsPort!,
      host: "localhost",
      seconds: 1,
      ...(script === undefined ? {} : { script: file }),
    }).catch((error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
    costs.push(cost);
  }
  return {
    rate: median(costs.map(({ requestsPerSecond }) => requestsPerSecond)),
    processorUs: median(costs.map(({ processorUs }) => processorUs)),
  };
}

/**
 * Returns the rows for one protocol. The time that each case adds is relative to the first case.
 */
async function rowsOf(
  place: BenchPlace,
  cases: readonly Case[],
  protocol: Protocol,
): Promise<readonly string[][]> {
  const rows: string[][] = [];
  let open: number | undefined;
  for (const item of cases) {
    if (protocol === "h2" && item.script !== undefined) continue;
    const { rate, processorUs } = await measure(place, item, protocol);
    open ??= rate;
    const added = 1e6 / rate - 1e6 / open;
    const verdict = added < MAX_ADDED_US ? "met" : "MISSED";
    rows.push([
      PROTOCOL_NAMES[protocol],
      item.name,
      whole(rate),
      processorUs.toFixed(1),
      added.toFixed(1),
      item.path === "/v1/me" ? verdict : "",
    ]);
  }
  return rows;
}

/**
 * Number of device logins to start. The platform allows more per minute, so this measures a burst,
 * not a sustained load.
 */
const STARTS = 900;
const AT_ONCE = 32;

/** Returns the number of device flows started per second. */
async function measureStarts(place: BenchPlace): Promise<number> {
  let next = 0;
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let index = next++; index < STARTS; index = next++) {
      const response = await fetch(`${apiOf(place)}/v1/device`, {
        method: "POST",
        headers: { "x-forwarded-for": `10.1.${index >> 8}.${index & 255}` },
        body: new URLSearchParams(CLIENT),
      });
      const answer = await response.text();
      if (!response.ok) throw new Error(`POST /v1/device: ${answer}`);
    }
  }));
  return STARTS * 1000 / (performance.now() - started);
}

/** Runs the bench and returns its report. */
export async function benchAccounts(): Promise<string> {
  return await withHttpsPlace(async (place) => {
    const cases = casesFor(await makeCredentials(place));
    const rows: string[][] = [];
    for (const protocol of PROTOCOLS) rows.push(...await rowsOf(place, cases, protocol));
    rows.push([
      PROTOCOL_NAMES.http,
      "POST /v1/device",
      whole(await measureStarts(place)),
      "",
      "",
      "",
    ]);
    const headings = [
      "protocol",
      "request",
      "a second",
      "cpu us",
      "added us",
      `aim ${MAX_ADDED_US}`,
    ];
    return `Accounts and the device flow (svc ${describeProgram()})\n\n${
      formatTable(headings, rows)
    }`;
  }, { args: ["--trust-proxy", "127.0.0.0/8"] });
}
