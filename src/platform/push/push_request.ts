/** Parses and checks a push's commands (gitprotocol-pack, "Reference Update Request"). @module */
import { branchName } from "../../contract/projects.ts";
import { PacketReader, packetText } from "./pkt_line.ts";

/** Maximum number of refs in one push. */
const MAX_COMMANDS = 1000;

/** Maximum size of the part of a push that precedes the pack, in bytes. */
const MAX_HEAD = 1024 * 1024;

const BRANCHES = "refs/heads/";
const TAGS = "refs/tags/";
const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) (\S+)$/;
const SHALLOW = /^shallow [0-9a-f]{40}$/;
const NOTHING = "0".repeat(40);
const TOO_MANY = `a push can change at most ${MAX_COMMANDS} refs: push fewer at a time`;

/** A change to one ref. */
export interface RefCommand {
  readonly ref: string;
  /** Full SHA of the object that the ref pointed to before; `undefined` if the ref is created. */
  readonly before: string | undefined;
  /** Full SHA of the ref's new object; `undefined` if the ref is deleted. */
  readonly sha: string | undefined;
}

export interface PushRequest {
  readonly commands: readonly RefCommand[];
  readonly capabilities: ReadonlySet<string>;
  /** Why the push is refused; `undefined` if it is allowed. */
  readonly refusal: string | undefined;
}

/** Thrown if a push cannot be read. `message` is human-readable. */
export class PushRefused extends Error {
  override readonly name = "PushRefused";
}

/** Reads the commands before the pack while their bytes arrive. */
export class PushHead {
  readonly #reader = new PacketReader();
  readonly #commands: RefCommand[] = [];
  #capabilities: ReadonlySet<string> = new Set();
  #refusal: string | undefined;
  #bytes = 0;
  #isWhole = false;

  /** @throws {PushRefused} */
  push(chunk: Uint8Array): void {
    if (this.#isWhole) return;
    this.#bytes += chunk.byteLength;
    this.#reader.push(chunk);
    try {
      this.#takeAll();
    } catch (error) {
      if (error instanceof PushRefused) throw error;
      throw new PushRefused("Cannot read the push: it is not a git request", { cause: error });
    }
    if (this.#isWhole || this.#bytes <= MAX_HEAD) return;
    // The refusal is reported for the refs that are known so far.
    this.#refusal = TOO_MANY;
    this.#isWhole = true;
  }

  /** @throws {PushRefused} if the body ended too early */
  get request(): PushRequest {
    if (!this.#isWhole) throw new PushRefused("Cannot read the push: it ends too early");
    return {
      commands: this.#commands,
      capabilities: this.#capabilities,
      refusal: this.#refusal,
    };
  }

  #takeAll(): void {
    while (!this.#isWhole) {
      const content = this.#reader.take();
      if (content === undefined) return;
      if (content === null) this.#isWhole = true;
      else this.#take(packetText(content));
    }
  }

  #take(line: string): void {
    const [command = "", capabilities] = line.split("\0");
    if (capabilities !== undefined) {
      this.#capabilities = new Set(capabilities.split(" ").filter((each) => each !== ""));
    }
    // Skips the line that marks the boundary of a shallow clone. git itself checks whether it has
    // the objects beyond that boundary.
    if (SHALLOW.test(command.trimEnd())) return;
    const [, before, next, ref] = COMMAND.exec(command.trimEnd()) ?? [];
    if (next === undefined || ref === undefined) {
      throw new PushRefused("Cannot read the push: it is not a git request");
    }
    const idOf = (sha: string | undefined) => sha === NOTHING ? undefined : sha;
    this.#commands.push({ ref, before: idOf(before), sha: idOf(next) });
    if (this.#commands.length > MAX_COMMANDS) this.#refusal = TOO_MANY;
  }
}

/** Returns the branch that a ref names; `undefined` if the ref is not a branch. */
export const branchOf = (ref: string): string | undefined =>
  ref.startsWith(BRANCHES) ? ref.slice(BRANCHES.length) : undefined;

/** Returns why a ref cannot be pushed; `undefined` if it can be pushed. */
function refusalOf(ref: string): string | undefined {
  const name = branchOf(ref) ?? (ref.startsWith(TAGS) ? ref.slice(TAGS.length) : undefined);
  if (name === undefined) return "only branches and tags can be pushed";
  return branchName.safeParse(name).success ? undefined : "the name is not allowed";
}

/**
 * Returns why the key may not push a ref; `undefined` if it may. Tags need no permission, because
 * they are never deployed.
 */
function refusalOfKey(
  ref: string,
  lacked: ((branch: string) => string | undefined) | undefined,
): string | undefined {
  const branch = branchOf(ref);
  const permission = branch === undefined ? undefined : lacked?.(branch);
  return permission && `the key lacks the permission "${permission}"`;
}

/** Returns a push's refused refs, with the reason for each. */
export function refusedRefs(
  { commands }: PushRequest,
  { production, lacked }: {
    readonly production: string;
    /**
     * Returns the permission that the key lacks for pushing a branch; `undefined` if the key may
     * push the branch.
     */
    lacked?(branch: string): string | undefined;
  },
): ReadonlyMap<string, string> {
  const refused = new Map<string, string>();
  const seen = new Set<string>();
  for (const { ref, sha } of commands) {
    const reason = seen.has(ref)
      ? "it appears twice"
      : sha === undefined && branchOf(ref) === production
      ? "the production branch cannot be deleted"
      : refusalOf(ref) ?? refusalOfKey(ref, lacked);
    if (reason !== undefined) refused.set(ref, reason);
    seen.add(ref);
  }
  return refused;
}
