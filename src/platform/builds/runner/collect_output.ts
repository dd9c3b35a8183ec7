/**
 * Collects a build's output into the platform's store. The files are untrusted, but all processes
 * of the build have exited, so a file cannot change between a check and its use.
 *
 * @module
 */
import { dirname } from "node:path";
import pMap from "p-map";
import type { PackedEvent } from "../../../build/mod.ts";
import { deploymentFile, MAX_FILE_BYTES } from "../../../contract/deployment_files.ts";
import { deploymentFunction, MAX_FUNCTION_BYTES } from "../../../contract/deployments.ts";
import { sha256Hex, sha256Stream } from "../../../lib/hash.ts";
import type { BlobStore } from "../../core/store/mod.ts";
import type { BuiltContent } from "../types.ts";
import type { Shown } from "../sandbox/sandbox.ts";

export class OutputRefused extends Error {
  override readonly name = "OutputRefused";
}

interface CollectOptions {
  readonly blobs: BlobStore;
  /** The build's folders: their paths on this machine and inside the build. */
  readonly shown: readonly Shown[];
  /** The required owner of every file, if the build had its own user. */
  readonly uid: number | undefined;
}

/** Maximum size of a file to read in one piece, in bytes. */
const READ_WHOLE = 1024 * 1024;
const CONCURRENCY = 16;

interface Stored {
  readonly sha256: string;
  readonly size: number;
}

/** Returns the path on this machine of a file that the build listed. */
function hostPath(content: string, shown: readonly Shown[]): string {
  const parts = content.split("/");
  const folder = shown.find(({ to }) => content.startsWith(`${to}/`));
  const isPlain = parts.slice(1).every((part) => part !== "" && part !== "." && part !== "..");
  if (folder === undefined || !isPlain || parts[0] !== "" || content.includes("\0")) {
    throw new OutputRefused(`An output file is outside the checkout: ${content}`);
  }
  return folder.from + content.slice(folder.to.length);
}

class Collector {
  /** For each folder, whether its path is free of links. */
  readonly #plain = new Map<string, Promise<boolean>>();

  readonly #options: CollectOptions;

  constructor(options: CollectOptions) {
    this.#options = options;
  }

  async store(content: string, maxBytes: number): Promise<Stored> {
    const path = hostPath(content, this.#options.shown);
    const size = await this.#judge(path, content);
    if (size > maxBytes) {
      throw new OutputRefused(
        `File is too large: ${content} has ${size} bytes, but the limit is ${maxBytes}`,
      );
    }
    return size <= READ_WHOLE ? await this.#storeWhole(path) : await this.#storeStream(path);
  }

  /** Rejects paths through links, files that are not regular, and other users' files. */
  async #judge(path: string, content: string): Promise<number> {
    const folder = dirname(path);
    let plain = this.#plain.get(folder);
    if (plain === undefined) {
      plain = Deno.realPath(folder).then((real) => real === folder, () => false);
      this.#plain.set(folder, plain);
    }
    const info = await Deno.lstat(path).catch(() => undefined);
    const { uid } = this.#options;
    if (
      !await plain || info?.isFile !== true || (uid !== undefined && info.uid !== uid)
    ) {
      throw new OutputRefused(
        `An output file is not a regular file created by the build: ${content}`,
      );
    }
    return info.size;
  }

  async #storeWhole(path: string): Promise<Stored> {
    const bytes = await Deno.readFile(path);
    const sha256 = sha256Hex(bytes);
    const { blobs } = this.#options;
    if (await blobs.verify(sha256) !== bytes.byteLength) await blobs.put(sha256, bytes);
    return { sha256, size: bytes.byteLength };
  }

  async #storeStream(path: string): Promise<Stored> {
    const { blobs } = this.#options;
    const stored = await sha256Stream((await Deno.open(path)).readable);
    if (await blobs.verify(stored.sha256) !== stored.size) {
      const { readable } = await Deno.open(path);
      await blobs.putStream(stored.sha256, readable, { maxBytes: stored.size });
    }
    return stored;
  }
}

/** @throws {OutputRefused} if a listed file is not a regular file that belongs to the build. */
export async function collectOutput(
  packed: PackedEvent,
  options: CollectOptions,
): Promise<BuiltContent> {
  const collector = new Collector(options);
  const files = await pMap(packed.files, async ({ path, content }) => {
    const file = { path, ...await collector.store(content, MAX_FILE_BYTES) };
    const parsed = deploymentFile.safeParse(file);
    if (parsed.success) return parsed.data;
    throw new OutputRefused(`Cannot deploy ${path}: ${parsed.error.issues[0]?.message}`);
  }, { concurrency: CONCURRENCY });
  const functions = await pMap(packed.functions, async ({ name, content }) => {
    const stored = await collector.store(content, MAX_FUNCTION_BYTES);
    const parsed = deploymentFunction.safeParse({ name, ...stored });
    if (parsed.success) return parsed.data;
    throw new OutputRefused(`Cannot deploy function ${name}: ${parsed.error.issues[0]?.message}`);
  }, { concurrency: CONCURRENCY });
  return {
    manifest: packed.manifest,
    files,
    functions,
    rules: packed.rules,
  };
}
