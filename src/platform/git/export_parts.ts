/**
 * Content to which a commit refers, but which it does not contain: submodules and Git LFS files.
 * Each is either fetched into the exported repository, or reported with the reason why it cannot be
 * fetched.
 *
 * @module
 */
import { join } from "node:path";
import { watchSize } from "../../lib/folder_size.ts";
import { formatBytes } from "../../lib/format.ts";
import type { GitAddress } from "../../lib/git_url.ts";
import type { OutboundFetch } from "../../runtime/mod.ts";
import type { GitCredentials } from "../projects/mod.ts";
import { gitEnvironment, type GitFolder, type RemoteAccess } from "./git_environment.ts";
import { type GitFailure, judgeFailure } from "./git_failure.ts";
import { type GitResult, type GitRun, MAX_STDOUT, runGit } from "./git_process.ts";
import {
  fetchLargeFiles,
  type LargeFile,
  LfsFileFault,
  lfsServerOf,
  objectPath,
  POINTER_BYTES,
  readPointers,
} from "./lfs.ts";
import {
  GITLINK,
  type Gitlink,
  isSafePath,
  readModules,
  readTree,
  resolveModuleUrl,
  shownUrl,
  type TreeEntry,
} from "./submodules.ts";

/** Maximum nesting depth and maximum number of submodules. */
const MAX_DEPTH = 5;
const MAX_SUBMODULES = 100;

/** Number of blobs to read at a time when looking for pointers. */
const POINTERS_PER_READ = 5000;

/** Parts added to an exported commit. Paths are relative to the commit's repository. */
export interface ExportedParts {
  readonly submodules: readonly { readonly path: string; readonly commitSha: string }[];
  readonly largeFiles: readonly {
    readonly path: string;
    /** The path to which the file's content is written. */
    readonly object: string;
    readonly size: number;
  }[];
}

/** Thrown if a part of a commit is unavailable. `message` is human-readable. */
export class MissingPartError extends Error {
  override readonly name = "MissingPartError";
}

/**
 * A connection to a verified repository URL, with credentials only if they are meant for that
 * repository.
 */
export interface PartSource {
  readonly url: string;
  readonly address: GitAddress;
  readonly credentials: GitCredentials | undefined;
  open(): Promise<RemoteAccess>;
}

interface ExportPartsOptions {
  readonly folder: GitFolder;
  /** The exported repository. */
  readonly target: string;
  readonly sha: string;
  /** The URL of the project's repository; missing if it was pushed. */
  readonly url: string | undefined;
  readonly maxBytes: number;
  readonly fetchMs: number;
  readonly outbound: OutboundFetch;
  readonly signal: AbortSignal;
  /** Checks a URL, and finds the credentials for it. */
  sourceOf(url: string): Promise<PartSource | GitFailure>;
}

const ADVICE =
  "Make it public, or set git credentials for its host (`svc projects git-credentials`)";

function reasonOf(failure: GitFailure): string {
  return failure.type === "unreachable"
    ? failure.reason
    : `The repository does not exist, or the platform has no access to it. ${ADVICE}`;
}

class PartsExport {
  readonly submodules: { path: string; commitSha: string }[] = [];
  readonly largeFiles: { path: string; object: string; size: number }[] = [];
  #bytes = 0;

  readonly #options: ExportPartsOptions;
  readonly #signal: AbortSignal;

  constructor(options: ExportPartsOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Adds the parts of a repository, and then those of its submodules. */
  async add(at: {
    /**
     * Path of the repository within the project's repository; "" for the project's repository
     * itself.
     */
    readonly prefix: string;
    readonly sha: string;
    readonly url: string | undefined;
    readonly depth: number;
  }): Promise<void> {
    const { prefix, sha, url } = at;
    const { code, stdout, stderr } = await this.#git(prefix, ["ls-tree", "-r", "-l", "-z", sha]);
    if (code !== 0) throw new Error(`Cannot list ${sha}: ${stderr}`);
    if (stdout.length >= MAX_STDOUT) {
      throw new MissingPartError(`${prefix || "The repository"} has too many files`);
    }
    const entries = readTree(stdout);
    await this.#addLargeFiles(entries, { prefix, sha, url });
    const links = entries.filter(({ mode }) => mode === GITLINK);
    if (links.length === 0) return;
    const modules = readModules((await this.#config(prefix, `${sha}:.gitmodules`)).stdout);
    for (const link of links) await this.#addSubmodule(link, { ...at, modules });
  }

  async #addSubmodule(
    { path, sha }: Gitlink,
    { prefix, url: base, depth, modules }: {
      readonly prefix: string;
      readonly url: string | undefined;
      readonly depth: number;
      readonly modules: ReadonlyMap<string, string>;
    },
  ): Promise<void> {
    const inside = `${prefix}${path}`;
    const fail = (reason: string): never => {
      throw new MissingPartError(`Cannot fetch submodule ${inside}: ${reason}`);
    };
    if (!isSafePath(path)) fail("Its path is not allowed: move it to another folder");
    const written = modules.get(path);
    if (written === undefined) {
      return fail(
        "It has no entry in .gitmodules. Add it with `git submodule add`, or remove it with " +
          `\`git rm --cached ${path}\``,
      );
    }
    if (depth >= MAX_DEPTH) fail(`Submodules are nested more than ${MAX_DEPTH} levels deep`);
    if (this.submodules.length >= MAX_SUBMODULES) fail(`There are more than ${MAX_SUBMODULES}`);
    const url = resolveModuleUrl(base, written);
    if (url === undefined) {
      return fail(
        `The URL ${written} is relative to a repository without a URL. Use an absolute one`,
      );
    }
    const source = await this.#options.sourceOf(url);
    if ("type" in source) return fail(`${shownUrl(url)}: ${reasonOf(source)}`);
    const failure = await this.#fetch(inside, sha, source);
    if (failure !== undefined) fail(`${shownUrl(source.url)}: ${failure}`);
    this.submodules.push({ path: inside, commitSha: sha });
    await this.add({ prefix: `${inside}/`, sha, url: source.url, depth: depth + 1 });
  }

  /** Fetches one commit. If that fails, returns the reason. */
  async #fetch(path: string, sha: string, source: PartSource): Promise<string | undefined> {
    const prefix = `${path}/`;
    const target = join(this.#options.target, path);
    await Deno.mkdir(target, { recursive: true, mode: 0o755 });
    const made = await this.#run(["init", "--quiet", "--template=", "--", target]);
    if (made.code !== 0) throw new Error(`Cannot create a repository: ${made.stderr}`);
    const access = await source.open();
    try {
      const fetch = (...what: string[]) =>
        this.#git(prefix, [
          "fetch",
          "--quiet",
          "--no-tags",
          "--no-write-fetch-head",
          "--no-auto-maintenance",
          "--no-recurse-submodules",
          ...what.slice(0, -1),
          "--end-of-options",
          source.url,
          what.at(-1)!,
        ], { env: access.env, masker: access.masker, timeoutMs: this.#options.fetchMs });
      let fetched = await fetch("--depth=1", sha);
      // Old servers allow fetching only the heads of branches.
      if (fetched.code !== 0 && /unadvertised object|not our ref/i.test(fetched.stderr)) {
        fetched = await fetch("+refs/heads/*:refs/remotes/origin/*");
      }
      if (fetched.code !== 0) return reasonOf(judgeFailure(fetched));
    } finally {
      await access.dispose();
    }
    const pointed = await this.#git(prefix, ["update-ref", "--no-deref", "HEAD", sha]);
    return pointed.code === 0
      ? undefined
      : `The repository does not have commit ${sha}. Push it there, or commit another one`;
  }

  async #addLargeFiles(
    entries: readonly TreeEntry[],
    { prefix, sha, url }: {
      readonly prefix: string;
      readonly sha: string;
      readonly url: string | undefined;
    },
  ): Promise<void> {
    const files = await this.#pointers(prefix, entries);
    const [first] = files;
    if (first === undefined) return;
    const fail = (path: string, reason: string): never => {
      throw new MissingPartError(
        `Cannot fetch ${prefix}${path} from Git LFS: ${reason}`,
      );
    };
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if ((this.#bytes += size) > this.#options.maxBytes) {
      fail(
        first.path,
        `The Git LFS files are larger than ${formatBytes(this.#options.maxBytes)} in total`,
      );
    }
    const server = await this.#lfsServer(prefix, { sha, url });
    if (typeof server === "string") return fail(first.path, server);
    const { outbound: fetch, target } = this.#options;
    try {
      await fetchLargeFiles(
        { ...server, fetch, signal: this.#signal },
        files,
        join(target, prefix, ".git"),
      );
    } catch (error) {
      if (!(error instanceof LfsFileFault)) throw error;
      this.#signal.throwIfAborted();
      fail(error.path, `${shownUrl(server.url)}: ${error.message}. ${ADVICE}`);
    }
    for (const file of files) {
      this.largeFiles.push({
        path: `${prefix}${file.path}`,
        object: `${prefix}.git/${objectPath(file.oid)}`,
        size: file.size,
      });
    }
  }

  /**
   * Returns the server for the large files. If there is none, returns a message that explains why.
   */
  async #lfsServer(
    prefix: string,
    { sha, url }: { readonly sha: string; readonly url: string | undefined },
  ): Promise<{ readonly url: string; readonly credentials: GitCredentials | undefined } | string> {
    const config = (await this.#config(prefix, `${sha}:.lfsconfig`)).stdout;
    const written = /(?:^|\0)lfs\.url\n([^\0]+)/.exec(config)?.[1];
    const asked = written ?? url;
    if (asked === undefined) {
      return "A push does not include Git LFS files, and the project has no git URL. Set lfs.url in .lfsconfig, or use `svc deploy`";
    }
    const source = await this.#options.sourceOf(asked);
    if ("type" in source) return `${shownUrl(asked)}: ${reasonOf(source)}`;
    const server = written === undefined || source.address.transport !== "http"
      ? lfsServerOf(source.address)
      : source.url;
    return server === undefined
      ? "Its git URL is a folder. Set lfs.url in .lfsconfig to an HTTPS URL"
      : { url: server, credentials: source.credentials };
  }

  /** Lists a commit's pointers. There are none if no `.gitattributes` file mentions Git LFS. */
  async #pointers(prefix: string, entries: readonly TreeEntry[]): Promise<LargeFile[]> {
    const attributes = entries.filter(({ path }) => /(?:^|\/)\.gitattributes$/.test(path));
    if (!/filter=lfs\b/.test(await this.#contents(prefix, attributes))) return [];
    const { from, to } = POINTER_BYTES;
    const small = entries.filter(({ mode, size = 0 }) =>
      mode.startsWith("100") && size >= from && size <= to
    );
    const files: LargeFile[] = [];
    for (let at = 0; at < small.length; at += POINTERS_PER_READ) {
      const some = small.slice(at, at + POINTERS_PER_READ);
      const pointers = readPointers(await this.#contents(prefix, some));
      for (const { sha, path } of some) {
        const pointer = pointers.get(sha);
        if (pointer !== undefined) files.push({ path, ...pointer });
      }
    }
    return files;
  }

  async #contents(prefix: string, entries: readonly TreeEntry[]): Promise<string> {
    if (entries.length === 0) return "";
    const input = entries.map(({ sha }) => `${sha}\n`).join("");
    return (await this.#git(prefix, ["cat-file", "--batch"], { input })).stdout;
  }

  /** Lists the settings in a commit's config file; empty if the file is missing. */
  #config(prefix: string, blob: string): Promise<GitResult> {
    return this.#git(prefix, ["config", "--blob", blob, "--no-includes", "--list", "-z"]);
  }

  #git(
    prefix: string,
    args: readonly string[],
    options: Partial<Pick<GitRun, "input" | "env" | "masker" | "timeoutMs">> = {},
  ): Promise<GitResult> {
    return this.#run([`--git-dir=${join(this.#options.target, prefix, ".git")}`, ...args], options);
  }

  #run(
    args: readonly string[],
    { env, ...options }: Partial<Pick<GitRun, "input" | "env" | "masker" | "timeoutMs">> = {},
  ): Promise<GitResult> {
    const { folder, fetchMs: timeoutMs } = this.#options;
    return runGit({
      timeoutMs,
      signal: this.#signal,
      args,
      ...options,
      env: { ...gitEnvironment(folder), ...env },
    });
  }
}

/** Fetches what an exported commit refers to. @throws {MissingPartError} */
export async function exportParts(options: ExportPartsOptions): Promise<ExportedParts> {
  const { target, maxBytes, signal, sha, url } = options;
  const size = watchSize([target], { maxBytes });
  try {
    const parts = new PartsExport(options, AbortSignal.any([signal, size.exceeded]));
    await parts.add({ prefix: "", sha, url, depth: 0 });
    return { submodules: parts.submodules, largeFiles: parts.largeFiles };
  } catch (error) {
    if (signal.aborted || !size.exceeded.aborted) throw error;
    throw new MissingPartError(
      `The repository and its submodules are larger than ${formatBytes(maxBytes)}`,
      { cause: error },
    );
  } finally {
    await size.stop();
  }
}
