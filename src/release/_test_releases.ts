/** @module A release server on this machine, with a separate signing key. */
import { gzipSync } from "node:zlib";
import { sha256Hex } from "../lib/hash.ts";
import { MANIFEST_SCHEMA, type Release } from "./manifest.ts";
import { publicKeyOf, sign } from "./signature.ts";
import { stopServer } from "../lib/stop_server.ts";

/** Creates a key pair, with the private key as PEM. */
export async function makeKeys(): Promise<{ readonly pem: string; readonly publicKey: string }> {
  const { privateKey } = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const bytes = new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey));
  const pem = `-----BEGIN PRIVATE KEY-----\n${bytes.toBase64()}\n-----END PRIVATE KEY-----\n`;
  return { pem, publicKey: await publicKeyOf(pem) };
}

export interface Publication {
  readonly version: string;
  readonly program: Uint8Array;
  readonly target?: string;
  readonly dataFormat?: number;
  /** Changes the manifest before the manifest is signed. */
  readonly manifest?: (release: Release) => unknown;
}

export interface Releases extends AsyncDisposable {
  readonly place: string;
  readonly publicKey: string;
  /** The paths that were requested. */
  readonly asked: string[];
  /** Adds a release as the latest one. */
  publish(publication: Publication): Promise<void>;
  /** Changes the bytes at a path. */
  change(path: string, edit: (bytes: Uint8Array) => Uint8Array<ArrayBuffer>): void;
  /**
   * Number of the program's bytes after which the connection closes; `undefined` if it never
   * closes.
   */
  cutAfter: number | undefined;
  /** Sends programs in small pieces as long as the function returns true. */
  isSlow: (() => boolean) | undefined;
  /** Called before a program is sent. */
  beforeProgram: (() => Promise<void>) | undefined;
}

/** Flips the lowest bit of the byte at `index`. A negative index counts from the end. */
export function flipBit(bytes: Uint8Array, index: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  const at = index < 0 ? copy.length + index : index;
  copy[at] = copy[at]! ^ 1;
  return copy;
}

function cut(bytes: Uint8Array, after: number): ReadableStream<Uint8Array> {
  let sent = false;
  return new ReadableStream({
    pull(controller) {
      if (sent) return controller.error(new Error("cut"));
      controller.enqueue(bytes.subarray(0, after));
      sent = true;
    },
  });
}

/** Number of pieces in a slow response, and the time between two pieces in milliseconds. */
const PIECES = 400;
const PIECE_MS = 25;

/** Sends a little at a time, and all the rest once the server is no longer slow. */
function trickle(
  bytes: Uint8Array<ArrayBuffer>,
  isSlow: () => boolean,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, isSlow() ? PIECE_MS : 0));
      const end = isSlow() ? sent + Math.ceil(bytes.length / PIECES) : bytes.length;
      controller.enqueue(bytes.subarray(sent, end));
      sent = end;
      if (sent >= bytes.length) controller.close();
    },
  });
}

/** Starts a server without releases. */
export async function startReleases(): Promise<Releases> {
  const { pem, publicKey } = await makeKeys();
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const asked: string[] = [];
  let latest = "";
  const find = (path: string): Uint8Array<ArrayBuffer> | undefined =>
    files.get(path.replace(/^\/latest\/download\//, `/download/v${latest}/`));
  const releases: Omit<Releases, "place" | typeof Symbol.asyncDispose> = {
    publicKey,
    asked,
    cutAfter: undefined,
    isSlow: undefined,
    beforeProgram: undefined,
    async publish({ version, program, target = Deno.build.target, dataFormat = 1, manifest }) {
      const packed = new Uint8Array(gzipSync(program, { level: 1 }));
      const file = `svc-${version}-${target}.gz`;
      const release: Release = {
        schemaVersion: MANIFEST_SCHEMA,
        version,
        dataFormat,
        programs: [{
          target,
          file,
          size: packed.byteLength,
          sha256: sha256Hex(packed),
          program: { size: program.byteLength, sha256: sha256Hex(program) },
        }],
      };
      const text = JSON.stringify(manifest === undefined ? release : manifest(release));
      const bytes = new TextEncoder().encode(text);
      const folder = `/download/v${version}`;
      files.set(`${folder}/${file}`, packed);
      files.set(`${folder}/release.json`, bytes);
      files.set(`${folder}/release.json.sig`, await sign(bytes, pem));
      latest = version;
    },
    change: (path, edit) => void files.set(path, edit(files.get(path)!)),
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, onError: () => new Response(null) },
    async (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const bytes = find(pathname);
      if (bytes === undefined) return new Response("Not found", { status: 404 });
      if (!pathname.endsWith(".gz")) return new Response(bytes);
      await releases.beforeProgram?.();
      const { cutAfter, isSlow } = releases;
      const whole = isSlow === undefined ? bytes : trickle(bytes, isSlow);
      const body = cutAfter === undefined ? whole : cut(bytes, cutAfter);
      return new Response(body, { headers: { "Content-Type": "application/octet-stream" } });
    },
  );
  return Object.assign(releases, {
    place: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => stopServer(server),
  });
}
