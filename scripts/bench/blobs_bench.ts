/**
 * Blob stores over S3, compared with versitygw on a folder on the same disk. Requests use signed
 * URLs, so that the load generator does not have to sign anything. svc flushes each object before
 * it responds.
 *
 * @module
 */
import { AwsClient } from "aws4fetch";
import { join } from "node:path";
import { unusedPort } from "../../src/lib/unused_port.ts";
import { BUCKET, Storage } from "../../tests/helpers/machines/storage.ts";
import { hear } from "../_process.ts";
import { type BenchPlace, describeProgram, withBenchPlace } from "./_bench_place.ts";
import { type Cost, loadProcess } from "./_load.ts";
import { formatTable, median, whole } from "./_table.ts";

const CLIENTS = 4;
const SECONDS = 3;
const ROUNDS = 3;
const KEYS = 50;
const SIZES: readonly (readonly [name: string, bytes: number])[] = [
  ["1 KB", 1024],
  ["1 MB", 1024 ** 2],
];
const LARGE_BYTES = 1024 ** 3;

type Method = "PUT" | "GET";
const METHODS: readonly Method[] = ["PUT", "GET"];

interface Side {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly host: string;
  /** Returns the path of a signed URL. */
  sign(method: Method, key: string): Promise<string>;
}

async function openSvc({ platform, token, tool }: BenchPlace): Promise<Side> {
  await tool(["init", "--name", "bench", "--create"]);
  const response = await fetch(`${platform.url}/v1/projects/bench/blobs/credentials`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "bench" }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { id, secret, region, bucket } = await response.json();
  const { pid, port } = platform;
  const origin = `http://localhost:${port}`;
  const sign = signerOf(`${origin}/s3/${bucket}`, { id, secret, region });
  return { name: "svc", pid, port, host: "localhost", sign };
}

function openGateway({ port, pid, env }: Storage): Side {
  const keys = { id: env.AWS_ACCESS_KEY_ID!, secret: env.AWS_SECRET_ACCESS_KEY! };
  const sign = signerOf(`http://127.0.0.1:${port}/${BUCKET}`, { ...keys, region: "us-east-1" });
  return { name: "versitygw", pid: pid!, port, host: "127.0.0.1", sign };
}

function signerOf(
  bucket: string,
  { id, secret, region }: { readonly id: string; readonly secret: string; readonly region: string },
): Side["sign"] {
  const client = new AwsClient({
    ...{ accessKeyId: id, secretAccessKey: secret, region },
    service: "s3",
  });
  return async (method, key) => {
    const signed = await client.sign(`${bucket}/${key}`, { method, aws: { signQuery: true } });
    const { pathname, search } = new URL(signed.url);
    return pathname + search;
  };
}

/**
 * Creates a Lua script with which wrk requests the paths in turn. All bodies differ, because svc
 * stores identical bodies only once.
 */
const script = (method: Method, paths: readonly string[], bytes: number): string => `
local paths = {${paths.map((path) => JSON.stringify(path)).join(", ")}}
local rest = string.rep("x", ${bytes - 32})
local salt = "${crypto.randomUUID().replaceAll("-", "").slice(0, 20)}"
local n = 0
request = function()
  n = n + 1
  local body = ${method === "PUT" ? 'salt .. string.format("%012d", n) .. rest' : "nil"}
  return wrk.format("${method}", paths[n % #paths + 1], nil, body)
end
`;

async function measure(side: Side, method: Method, { folder, bytes }: {
  readonly folder: string;
  readonly bytes: number;
}): Promise<Cost> {
  const keys = Array.from({ length: KEYS }, (_, number) => `${bytes}/key-${number}`);
  const paths = await Promise.all(keys.map((key) => side.sign(method, key)));
  const file = join(folder, "load.lua");
  await Deno.writeTextFile(file, script(method, paths, bytes));
  return await loadProcess({
    ...side,
    path: "/",
    script: file,
    seconds: SECONDS,
    connections: CLIENTS,
  });
}

/** Writes every key, so that reads find all keys even on a slow machine. */
async function fill(side: Side, bytes: number): Promise<void> {
  for (let number = 0; number < KEYS; number++) {
    const path = await side.sign("PUT", `${bytes}/key-${number}`);
    const body = new Uint8Array(bytes).fill(number);
    const response = await fetch(`http://${side.host}:${side.port}${path}`, {
      method: "PUT",
      body,
    });
    if (!response.ok) throw new Error(`${side.name}: ${await response.text()}`);
    await response.body?.cancel();
  }
}

const ratio = (ours: number, theirs: number): string => (ours / theirs).toFixed(2);

async function raceSmall(sides: readonly Side[], folder: string): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [name, bytes] of SIZES) {
    for (const side of sides) await fill(side, bytes);
    for (const method of METHODS) {
      const costs = sides.map((): Cost[] => []);
      for (let round = 0; round < ROUNDS; round++) {
        for (const [index, side] of sides.entries()) {
          costs[index]!.push(await measure(side, method, { folder, bytes }));
        }
      }
      const middle = (of: (cost: Cost) => number) => costs.map((all) => median(all.map(of)));
      const [ours, theirs] = middle(({ requestsPerSecond }) => requestsPerSecond);
      const times = middle(({ processorUs }) => processorUs).map(whole);
      const rates = [`${whole(ours!)}/s`, `${whole(theirs!)}/s`];
      rows.push([`${method} ${name}`, ...rates, ratio(ours!, theirs!), ...times]);
    }
  }
  return rows;
}

/** Returns the time that curl takes for one object, in seconds. */
async function transfer(side: Side, method: Method, file: string): Promise<number> {
  const url = `http://${side.host}:${side.port}${await side.sign(method, "large")}`;
  const what = method === "PUT" ? ["--upload-file", file] : [];
  const started = performance.now();
  const { code, stderr } = await hear(
    ["curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", ...what, url],
  );
  if (code !== 0) throw new Error(`${side.name}: ${stderr}`);
  return (performance.now() - started) / 1000;
}

async function raceLarge(sides: readonly Side[], folder: string): Promise<string[][]> {
  const file = join(folder, "large");
  {
    using large = await Deno.open(file, { write: true, create: true });
    const block = new Uint8Array(65_536);
    for (let at = 0; at < LARGE_BYTES; at += block.length) {
      await large.write(crypto.getRandomValues(block));
    }
  }
  const rows: string[][] = [];
  for (const method of METHODS) {
    const taken: number[] = [];
    for (const side of sides) taken.push(await transfer(side, method, file));
    const [ours, theirs] = taken;
    const times = taken.map((seconds) => `${seconds.toFixed(1)} s`);
    rows.push([`${method} 1 GB, once`, ...times, ratio(theirs!, ours!), "", ""]);
  }
  return rows;
}

/** Runs the bench, alternating between the two stores, and returns its report with the medians. */
export async function benchBlobs(): Promise<string> {
  return await withBenchPlace(async (place) => {
    await using storage = await Storage.start(place.folder, unusedPort());
    const sides = [await openSvc(place), openGateway(storage)];
    const rows = [
      ...await raceSmall(sides, place.folder),
      ...await raceLarge(sides, place.folder),
    ];
    const headings = ["", "svc", "versitygw", "ratio", "svc cpu us", "versitygw cpu us"];
    return `${CLIENTS} clients, medians of ${ROUNDS} rounds (svc ${describeProgram()})\n\n` +
      formatTable(headings, rows);
  });
}
