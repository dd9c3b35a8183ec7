/**
 * Files that Git LFS stores outside a repository. These files are found in a commit, and fetched
 * with the batch API into the folder that Git LFS uses.
 *
 * @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md
 * @module
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import pMap from "p-map";
import * as z from "zod";
import type { GitAddress } from "../../lib/git_url.ts";
import type { OutboundFetch, OutboundResponse } from "../../runtime/mod.ts";
import type { GitCredentials } from "../projects/mod.ts";

export interface LargeFile {
  /** The path, relative to the repository. */
  readonly path: string;
  readonly oid: string;
  readonly size: number;
}

/** The smallest and largest size of a pointer, in bytes. */
export const POINTER_BYTES = { from: 100, to: 1023 } as const;

const POINTER =
  /^([0-9a-f]{40}) blob \d+\nversion https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/gm;

/** Reads the pointers that `git cat-file --batch` prints, by the SHA of their blobs. */
export function readPointers(text: string): ReadonlyMap<string, Omit<LargeFile, "path">> {
  const pointers = new Map<string, Omit<LargeFile, "path">>();
  for (const [, blob, oid, size] of text.matchAll(POINTER)) {
    pointers.set(blob!, { oid: oid!, size: Number(size) });
  }
  return pointers;
}

export const objectPath = (oid: string): string =>
  `lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`;

/** Thrown if a file cannot be fetched. `message` is human-readable. */
class LfsFault extends Error {
  override readonly name = "LfsFault";
}

/**
 * Returns the server for a repository's objects if no `.lfsconfig` names one; `undefined` if the
 * repository is not reached over HTTP.
 */
export function lfsServerOf(address: GitAddress): string | undefined {
  if (address.transport === "local") return undefined;
  const path = address.transport === "http"
    ? new URL(address.url).pathname
    : address.url.includes("://")
    ? new URL(address.url).pathname
    : `/${address.url.slice(address.url.indexOf(":") + 1).replace(/^\//, "")}`;
  const base = address.transport === "http"
    ? new URL(address.url).origin
    : `https://${address.host}`;
  const repository = path.replace(/\/+$/, "");
  return `${base}${repository}${repository.endsWith(".git") ? "" : ".git"}/info/lfs`;
}

interface LfsServer {
  /** The server's URL, without `/objects/batch`. */
  readonly url: string;
  readonly fetch: OutboundFetch;
  /** Credentials for exactly this server, if there are any. */
  readonly credentials: GitCredentials | undefined;
  readonly signal: AbortSignal;
}

const TYPE = "application/vnd.git-lfs+json";

/** Number of objects per request, the same as in Git LFS itself. */
const BATCH = 100;
const PARALLEL = 4;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Maximum wait for one request or file, in milliseconds. */
const REQUEST_MS = 60_000;
const DOWNLOAD_MS = 15 * 60_000;

const batchAnswer = z.object({
  objects: z.array(z.object({
    oid: z.string(),
    error: z.object({ code: z.number(), message: z.string().max(2000) }).optional(),
    actions: z.object({
      download: z.object({
        href: z.string().max(8192),
        header: z.record(z.string().max(256), z.string().max(16_384)).optional(),
      }),
    }).optional(),
  })).max(BATCH),
});

type BatchObject = z.infer<typeof batchAnswer>["objects"][number];

function basicOf(credentials: GitCredentials | undefined): [string, string][] {
  if (credentials?.type !== "https") return [];
  const { username, token } = credentials;
  return [[
    "authorization",
    `Basic ${new TextEncoder().encode(`${username}:${token}`).toBase64()}`,
  ]];
}

async function* chunksOf(
  { bytes, body }: OutboundResponse,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (bytes !== undefined) yield bytes;
  else if (body !== null) yield* body;
}

async function readText(response: OutboundResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of chunksOf(response)) {
    if ((size += chunk.byteLength) > MAX_ANSWER_BYTES) {
      throw new LfsFault("its response is too large");
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

const until = (signal: AbortSignal, ms: number) =>
  AbortSignal.any([signal, AbortSignal.timeout(ms)]);

/** Requests the URLs of objects. @throws {LfsFault} */
async function askFor(server: LfsServer, files: readonly LargeFile[]): Promise<BatchObject[]> {
  const body = new TextEncoder().encode(JSON.stringify({
    operation: "download",
    transfers: ["basic"],
    hash_algo: "sha256",
    objects: files.map(({ oid, size }) => ({ oid, size })),
  }));
  const response = await server.fetch({
    method: "POST",
    url: `${server.url.replace(/\/+$/, "")}/objects/batch`,
    headers: [
      ...[["accept", TYPE], ["content-type", TYPE]] as [string, string][],
      ["content-length", String(body.byteLength)],
      ...basicOf(server.credentials),
    ],
    body: new Blob([body]).stream(),
    signal: until(server.signal, REQUEST_MS),
  });
  const text = await readText(response);
  if (response.status === 401 || response.status === 403 || response.status === 404) {
    throw new LfsFault(`it denied access (status ${response.status})`);
  }
  if (response.status !== 200) throw new LfsFault(`it responded with status ${response.status}`);
  try {
    return batchAnswer.parse(JSON.parse(text)).objects;
  } catch (cause) {
    throw new LfsFault("it is not a Git LFS server", { cause });
  }
}

/** Writes one object to its path, and verifies it. @throws {LfsFault} */
async function download(
  server: LfsServer,
  { oid, size }: LargeFile,
  { found, target }: { readonly found: BatchObject | undefined; readonly target: string },
): Promise<void> {
  if (found?.error !== undefined) throw new LfsFault(`it responded: ${found.error.message}`);
  const action = found?.actions?.download;
  if (action === undefined) throw new LfsFault("it does not have the file");
  const own = URL.parse(action.href)?.origin === URL.parse(server.url)?.origin;
  const given = Object.entries(action.header ?? {});
  const isAuthorized = given.some(([name]) => name.toLowerCase() === "authorization");
  const response = await server.fetch({
    method: "GET",
    url: action.href,
    headers: [...given, ...(own && !isAuthorized ? basicOf(server.credentials) : [])],
    body: null,
    redirect: "follow",
    signal: until(server.signal, DOWNLOAD_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new LfsFault(`the download failed with status ${response.status}`);
  }
  const path = join(target, objectPath(oid));
  await Deno.mkdir(dirname(path), { recursive: true });
  using file = await Deno.open(path, { write: true, createNew: true });
  const writer = file.writable.getWriter();
  const hash = createHash("sha256");
  let written = 0;
  for await (const chunk of chunksOf(response)) {
    if ((written += chunk.byteLength) > size) break;
    hash.update(chunk);
    await writer.write(chunk);
  }
  await writer.close();
  if (written !== size || hash.digest("hex") !== oid) {
    throw new LfsFault("the size or SHA-256 of the file is wrong");
  }
}

/** Thrown if a file cannot be fetched. The message is the reason. */
export class LfsFileFault extends Error {
  override readonly name = "LfsFileFault";
  constructor(readonly path: string, reason: string, options: ErrorOptions) {
    super(reason, options);
  }
}

async function naming<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LfsFileFault(path, reason, { cause });
  }
}

/**
 * Fetches files into a repository's `.git`.
 *
 * @throws {LfsFileFault} for the first file that cannot be fetched
 */
export async function fetchLargeFiles(
  server: LfsServer,
  files: readonly LargeFile[],
  target: string,
): Promise<void> {
  const wanted = [...new Map(files.map((file) => [file.oid, file])).values()];
  for (let at = 0; at < wanted.length; at += BATCH) {
    const some = wanted.slice(at, at + BATCH);
    const objects = await naming(some[0]!.path, () => askFor(server, some));
    const found = new Map(objects.map((object) => [object.oid, object]));
    await pMap(
      some,
      (file) =>
        naming(file.path, () => download(server, file, { found: found.get(file.oid), target })),
      { concurrency: PARALLEL },
    );
  }
}
