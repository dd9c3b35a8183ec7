/**
 * The heads of branches in a mirror. Callers that ask while git is running share the next run of
 * git, because starting a program blocks the platform's thread for a few milliseconds.
 *
 * @module
 */
import type { Resolved } from "./git_service.ts";
import type { GitResult } from "./git_process.ts";
import { isBranchName, readShown } from "./shown_commit.ts";

/** Maximum number of branches in one run. */
const MAX_BRANCHES = 200;

const REFS = "refs/heads/";

type Head = Extract<Resolved, { readonly type: "found" }>;

interface Run {
  readonly branches: Set<string>;
  readonly heads: Promise<ReadonlyMap<string, Head>>;
}

export class BranchHeads {
  #running: Promise<unknown> = Promise.resolve();
  #next: Run | undefined;

  readonly #git: (args: readonly string[]) => Promise<GitResult>;

  constructor(git: (args: readonly string[]) => Promise<GitResult>) {
    this.#git = git;
  }

  /**
   * Returns a branch's head, read after this call; `undefined` if there is no such branch, or if
   * its head must be looked up in another way.
   */
  async find(branch: string): Promise<Head | undefined> {
    if (!isBranchName(branch)) return undefined;
    const run = this.#next !== undefined && this.#next.branches.size < MAX_BRANCHES
      ? this.#next
      : this.#plan();
    run.branches.add(branch);
    return (await run.heads).get(branch);
  }

  /** Plans a run that starts when the previous ones have finished. */
  #plan(): Run {
    const branches = new Set<string>();
    const heads = this.#running.then(async () => {
      if (this.#next === run) this.#next = undefined;
      return readHeads(await this.#git([...SHOW, ...[...branches].map((name) => REFS + name)]));
    });
    const run = { branches, heads };
    this.#next = run;
    this.#running = heads.catch(() => {});
    return run;
  }
}

const FIELDS = ["refname", "objecttype", "objectname", "authorname", "contents:subject"];
const SHOW = ["for-each-ref", `--format=${FIELDS.map((name) => `%(${name})`).join("%00")}`];

/** Parses git's list of branches. Invalid UTF-8 and truncated entries are left out. */
function readHeads({ code, stdout }: GitResult): ReadonlyMap<string, Head> {
  const heads = new Map<string, Head>();
  if (code !== 0) return heads;
  for (const line of stdout.split("\n").slice(0, -1)) {
    const [name = "", type, ...shown] = line.split("\0");
    if (type !== "commit" || line.includes("\ufffd")) continue;
    heads.set(name.slice(REFS.length), readShown(shown));
  }
  return heads;
}
