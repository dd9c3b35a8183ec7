/**
 * Notifications: events per second that reach the inbox, thousands of open streams, and the cost of
 * inboxes of different sizes.
 *
 * @module
 */
import { measureInbox } from "../../src/platform/notifications/inbox/inboxes_bench.ts";
import { type BenchPlace, describeProgram, withBenchPlace } from "./_bench_place.ts";
import { formatTable, whole } from "./_table.ts";

const STREAMS = 5000;
const EVENTS = 2000;
const AT_ONCE = 64;
/** Number of streams that are opened at the same time. */
const OPENING = 100;
const [FEW, MANY] = [10, 100_000];
/**
 * Maximum extra time that an operation may take with many notifications instead of few, in
 * milliseconds.
 */
const FLAT_MS = 1;

/** Signs up the owner of a workspace, and returns the session's cookie. */
async function signIn({ platform }: BenchPlace): Promise<string> {
  const post = async (path: string, body: unknown, cookie = "") => {
    const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin", cookie };
    const response = await fetch(`${platform.url}${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    await response.body?.cancel();
    return response.headers.get("set-cookie")?.split(";")[0] ?? "";
  };
  const person = { name: "Bench", email: "bench@example.com", password: "a long bench password" };
  const cookie = await post("/v1/sign-up", person);
  await post("/v1/workspaces", { slug: "bench", name: "Bench" }, cookie);
  return cookie;
}

async function trigger({ platform }: BenchPlace, cookie: string, project: string): Promise<void> {
  const response = await fetch(`${platform.url}/v1/events`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      "x-workspace": "bench",
      cookie,
    },
    body: JSON.stringify({ event: "deployment.live", data: { project } }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.body?.cancel();
}

/**
 * Returns the number of events per second. The response to an event is sent once the event is in
 * the inbox.
 */
async function measureEvents(place: BenchPlace, cookie: string): Promise<number> {
  let next = 0;
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let index = next++; index < EVENTS; index = next++) {
      await trigger(place, cookie, `p${index}`);
    }
  }));
  return EVENTS / ((performance.now() - started) / 1000);
}

/** Returns the resident memory of a process, in bytes (proc(5)). */
function memory(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))![1]) *
    1024;
}

/** Opens a stream without a client library, and resolves once it has started. */
async function openStream({ platform }: BenchPlace, cookie: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: platform.port });
  const request = `GET /v1/notifications/stream HTTP/1.1\r\nhost: localhost:${platform.port}\r\n` +
    `cookie: ${cookie}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  await readUntil(connection, "event: counts");
  return connection;
}

async function readUntil(connection: Deno.TcpConn, text: string): Promise<void> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(4096);
  let seen = "";
  while (!seen.includes(text)) {
    const count = await connection.read(buffer);
    if (count === null) throw new Error(`The stream ended: ${seen}`);
    seen = (seen + decoder.decode(buffer.subarray(0, count))).slice(-8192);
  }
}

async function measureStreams(place: BenchPlace, cookie: string) {
  const before = memory(place.platform.pid);
  const streams: Deno.TcpConn[] = [];
  while (streams.length < STREAMS) {
    streams.push(
      ...await Promise.all(Array.from({ length: OPENING }, () => openStream(place, cookie))),
    );
  }
  const perStream = (memory(place.platform.pid) - before) / STREAMS;
  const delays: number[] = [];
  const started = performance.now();
  const reading = streams.map(async (stream) => {
    await readUntil(stream, "broadcast is live");
    delays.push(performance.now() - started);
  });
  await trigger(place, cookie, "broadcast");
  await Promise.all(reading);
  for (const stream of streams) stream.close();
  return {
    perStream,
    first: delays[0]!,
    middle: delays[delays.length >> 1]!,
    last: delays.at(-1)!,
  };
}

async function compareInboxes(): Promise<string> {
  const [few, many] = [await measureInbox(FEW), await measureInbox(MANY)];
  const rows = [...few].map(([name, cost]) => {
    const large = many.get(name)!;
    const isFlat = large - cost <= FLAT_MS;
    return [
      name,
      cost.toFixed(3),
      large.toFixed(3),
      isFlat ? "flat" : `+${whole(large - cost)} ms`,
    ];
  });
  return formatTable(
    ["milliseconds for", `with ${whole(FEW)}`, `with ${whole(MANY)}`, `aim: within ${FLAT_MS} ms`],
    rows,
  );
}

/** Runs the bench and returns its tables. */
export async function benchNotifications(): Promise<string> {
  const [events, streams] = await withBenchPlace(async (place) => {
    const cookie = await signIn(place);
    return [await measureEvents(place, cookie), await measureStreams(place, cookie)] as const;
  }, {
    // All streams come from the same IP address.
    args: [
      "--max-connections",
      `${2 * STREAMS}`,
      "--max-connections-per-address",
      `${2 * STREAMS}`,
    ],
  });
  const rows = [
    ["events a second, delivered to the inbox", whole(events)],
    [`kB of memory per stream, ${whole(STREAMS)} open`, (streams.perStream / 1000).toFixed(1)],
    ["ms until a broadcast reaches its first reader", streams.first.toFixed(1)],
    ["ms until it reaches half of them", streams.middle.toFixed(1)],
    ["ms until it reaches all", streams.last.toFixed(1)],
  ];
  const table = formatTable(["measured", "value"], rows);
  return `Program: ${describeProgram()}\n\n${table}\n\n${await compareInboxes()}`;
}
