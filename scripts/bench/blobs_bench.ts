/**
 * Blob stores over S3, beside versitygw on a folder (`GO_PROGRAMS` has it; `go install
 * github.com/versity/versitygw/cmd/versitygw@v1.8.0`). `BENCH_GIGABYTE` adds objects of 1 GB.
 *
 * @module
 */
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import pMap from "p-map";
import { unusedPort } from "../../src/lib/unused_port.ts";
import { withBenchPlace } from "./_bench_place.ts";
import { formatTable, median } from "./_table.ts";

const ROUNDS = 3;
/** Each client sends one request at a time. */
const CLIENTS = 8;

interface Size {
  readonly name: string;
  readonly bytes: number;
  /** Objects of a round. */
  readonly count: number;
}

const SIZES: readonly Size[] = [
  { name: "1 KB", bytes: 1024, count: 400 },
  { name: "1 MB", bytes: 1024 ** 2, count: 48 },
  ...(Deno.env.get("BENCH_GIGABYTE") === undefined
    ? []
    : [{ name: "1 GB", bytes: 1024 ** 3, count: 1 }]),
];

type AwsRequestInit = Parameters<AwsClient["sign"]>[1];

/** Sends a request for a key. */
type Send = (key: string, init?: RequestInit) => Promise<Response>;

function clientOf(
  { endpoint, bucket, id, secret }: Readonly<
    Record<"endpoint" | "bucket" | "id" | "secret", string>
  >,
): Send {
  const client = new AwsClient({
    ...{ accessKeyId: id, secretAccessKey: secret, region: "us-east-1" },
    ...{ service: "s3", retries: 0 },
  });
  return async (key, init) => {
    // Bodies are sent as they come, as SDKs do over TLS.
    const headers = { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" };
    const url = `${endpoint}/${bucket}${key === "" ? "" : `/${key}`}`;
    const response = await client.fetch(url, { headers, ...init } as AwsRequestInit);
    if (!response.ok) throw new Error(`${key}: ${response.status} ${await response.text()}`);
    return response;
  };
}

/** Requests a second, by what they do. */
type Rates = Map<string, number>;

async function perSecond(count: number, work: (index: number) => Promise<unknown>) {
  const started = performance.now();
  await pMap(Array.from({ length: count }, (_, index) => index), work, { concurrency: CLIENTS });
  return count / (performance.now() - started) * 1000;
}

/** The content of an object: each has another one, so that none is stored already. */
function contentOf(bytes: number, round: number, index: number): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(bytes);
  content.set(new TextEncoder().encode(`${round} ${index}`));
  return content;
}

async function measure(send: Send, round: number): Promise<Rates> {
  const rates: Rates = new Map();
  for (const { name, bytes, count } of SIZES) {
    const key = (index: number) => `${bytes}/${round}/${index}`;
    const puts = await perSecond(count, async (index) => {
      const body = contentOf(bytes, round, index);
      await (await send(key(index), { method: "PUT", body })).body?.cancel();
    });
    const gets = await perSecond(count, async (index) => {
      let read = 0;
      for await (const chunk of (await send(key(index))).body!) read += chunk.byteLength;
      if (read !== bytes) throw new Error(`${key(index)} has ${read} bytes`);
    });
    rates.set(`put ${name}`, puts).set(`get ${name}`, gets);
  }
  return rates;
}

/** Runs versitygw on a folder. */
async function withPeer<T>(folder: string, run: (send: Send) => Promise<T>): Promise<T> {
  const [id, secret] = ["bench", "bench-secret"];
  const port = unusedPort();
  await Deno.mkdir(join(folder, "peer", "bench"), { recursive: true });
  const program = join(Deno.env.get("GO_PROGRAMS") ?? "", "versitygw");
  const child = new Deno.Command(program, {
    args: ["--port", `127.0.0.1:${port}`, "--quiet", "posix", join(folder, "peer")],
    env: { ROOT_ACCESS_KEY: id, ROOT_SECRET_KEY: secret },
    ...{ stdin: "null", stdout: "null", stderr: "null" },
  }).spawn();
  const send = clientOf({ endpoint: `http://127.0.0.1:${port}`, bucket: "bench", id, secret });
  try {
    const end = Date.now() + 10_000;
    const answers = async () => {
      await (await send("")).body?.cancel();
      return true;
    };
    while (!await answers().catch(() => false)) {
      if (Date.now() > end) throw new Error("versitygw does not answer");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return await run(send);
  } finally {
    child.kill("SIGTERM");
    await child.status;
  }
}

/** Runs the bench, both sides in turn, and returns its report with the medians. */
export const benchBlobs = (): Promise<string> =>
  withBenchPlace(async ({ folder, platform, token }) => {
    const call = async (path: string, body: unknown) => {
      const response = await fetch(new URL(path, platform.url), {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return await response.json();
    };
    await call("/v1/projects", { name: "bench" });
    const own = clientOf(await call("/v1/projects/bench/blobs/credentials", { name: "bench" }));
    const [ours, theirs]: [Rates[], Rates[]] = [[], []];
    await withPeer(folder, async (peer) => {
      for (let round = 0; round < ROUNDS; round++) {
        ours.push(await measure(own, round));
        theirs.push(await measure(peer, round));
      }
    });
    const rows = [...ours[0]!.keys()].map((name) => {
      const [one, other] = [ours, theirs].map((all) => median(all.map((each) => each.get(name)!)));
      return [name, one!.toFixed(1), other!.toFixed(1), (one! / other!).toFixed(2)];
    });
    return `${CLIENTS} clients, medians of ${ROUNDS} rounds\n\n` +
      formatTable(["a second", "svc", "versitygw", "ratio"], rows);
  });
