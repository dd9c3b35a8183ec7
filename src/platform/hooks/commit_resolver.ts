/** Finds the commit that a trigger names in the project's repository. @module */
import { orAborted } from "../../lib/or_aborted.ts";
import type { GitService, Resolved, WantedCommit } from "../git/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { DEFAULTS } from "../../settings/mod.ts";
import { resolveFailure } from "./resolve_failure.ts";

/**
 * How long clients should wait before they retry, in seconds. By then, the repository may have been
 * fetched, or the branch may be free.
 */
export const RETRY_SECONDS = 15;

interface CommitResolverOptions {
  readonly git: GitService;
  /** Maximum wait for a repository, in milliseconds. A first fetch continues in the background. */
  readonly resolveMs?: number | undefined;
}

export class CommitResolver {
  /** The queries to git that are in progress. Concurrent callers share them. */
  readonly #pending = new Map<string, Promise<Resolved>>();

  readonly #options: CommitResolverOptions;

  constructor(options: CommitResolverOptions) {
    this.#options = options;
  }

  /**
   * Resolves a commit. The signal ends the wait, not the fetch.
   *
   * @throws {Failure} if the commit is not found; `unavailable` if the wait ends first
   */
  async resolve(project: ProjectRecord, wanted: WantedCommit, signal: AbortSignal) {
    const resolved = await orAborted(this.#ask(project, wanted), signal).catch((cause) => {
      const isCutShort = ["AbortError", "TimeoutError"].includes(cause?.name);
      if (!signal.aborted && !isCutShort) throw cause;
      throw new Failure(
        "unavailable",
        "The repository is still being fetched. Try again later",
        { retryAfter: RETRY_SECONDS, cause },
      );
    });
    if (resolved.type !== "found") throw resolveFailure(resolved, wanted);
    return resolved;
  }

  /** Queries git. Concurrent callers with the same query share the result. */
  #ask(project: ProjectRecord, wanted: WantedCommit): Promise<Resolved> {
    const { branch, commitSha } = wanted;
    // A head that was queried earlier may be older than this caller's push.
    if (commitSha === undefined) return this.#askGit(project, wanted);
    const key = [project.id, project.gitUrl, branch, commitSha].join("\n");
    const known = this.#pending.get(key);
    if (known !== undefined) return known;
    const asked = this.#askGit(project, wanted).finally(() => this.#pending.delete(key));
    this.#pending.set(key, asked);
    return asked;
  }

  #askGit(project: ProjectRecord, { branch, commitSha }: WantedCommit): Promise<Resolved> {
    const { git, resolveMs = DEFAULTS.resolveMs } = this.#options;
    return git.resolve(project, { branch, commitSha }, AbortSignal.timeout(resolveMs));
  }
}
