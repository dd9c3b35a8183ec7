/** Decides which commits can share one transaction. Pure. @module */
import { Buffer } from "node:buffer";
import type { KeyPart, RecordKey } from "../../../store/mod.ts";

/** A commit's keys, and the space that the commit needs in a transaction. */
export interface Footprint {
  /** Versions that the commit checks, by key name. */
  readonly checked: ReadonlyMap<string, string | null>;
  /**
   * Names of the keys that the commit changes, each with the new value if that is short. The order
   * of commits that set the same value, such as a flag, does not matter.
   */
  readonly changed: ReadonlyMap<string, string | undefined>;
  readonly mutations: number;
  /** Upper bounds for the total size of the commit's keys, and of its keys and values together. */
  readonly keyBytes: number;
  readonly bytes: number;
  /** Whether the commit needs its own transaction. */
  readonly alone: boolean;
}

export interface GroupLimits {
  readonly checks: number;
  readonly mutations: number;
  readonly keyBytes: number;
  readonly bytes: number;
}

/** Half of Deno KV's limits: 100 checks, 1,000 mutations, 80 KiB of keys, 800 KiB in total. */
export const LOCAL_LIMITS: GroupLimits = {
  checks: 50,
  mutations: 500,
  keyBytes: 40_000,
  bytes: 400_000,
};

/** A store on another machine (`denokv`) accepts 10 checks. */
export const REMOTE_LIMITS: GroupLimits = { ...LOCAL_LIMITS, checks: 10 };

/**
 * The limits of one call of `svc.commit()`, which is one transaction. Each operation in it succeeds
 * or fails separately.
 */
export const BATCH_LIMITS: GroupLimits = {
  checks: 1_000,
  mutations: 2_000,
  keyBytes: 500_000,
  bytes: 2_000_000,
};

const LOOK_AHEAD = 500;

/** Maximum number of bytes that a key part takes in addition to its name. Numbers take 9 bytes. */
const PART_BYTES = 12;

function partName(part: KeyPart): string {
  // Ill-formed strings are stored in their well-formed form.
  if (typeof part === "string") return JSON.stringify(part.toWellFormed());
  if (typeof part === "number") return `n${part}`;
  if (typeof part === "bigint") return `i${part}`;
  if (typeof part === "boolean") return `b${part}`;
  if (part instanceof Uint8Array) return `u${part.toHex()}`;
  throw new TypeError("Cannot name the key: a part of it has an unsupported type");
}

/**
 * Returns a name that no other key has.
 *
 * @throws {TypeError} if a part has a type that keys cannot contain.
 */
export function keyName(key: RecordKey): string {
  return key.map(partName).join();
}

export function keySize(name: string, { length }: RecordKey): number {
  return Buffer.byteLength(name) + length * PART_BYTES;
}

/** The keys of all commits in a group. */
class Union {
  readonly #checked = new Map<string, string | null>();
  readonly #changed = new Map<string, string | undefined>();

  /** Returns whether the order of a commit relative to these commits could matter. */
  touches({ checked, changed }: Footprint): boolean {
    for (const [name, value] of changed) {
      if (this.#checked.has(name) || !this.#isSame(name, value)) return true;
    }
    for (const [name, version] of checked) {
      if (this.#changed.has(name)) return true;
      // Two commits that expect different versions cannot both succeed.
      if (this.#checked.has(name) && this.#checked.get(name) !== version) return true;
    }
    return false;
  }

  add({ checked, changed }: Footprint): void {
    for (const [name, version] of checked) this.#checked.set(name, version);
    for (const [name, value] of changed) {
      this.#changed.set(name, this.#isSame(name, value) ? value : undefined);
    }
  }

  /** Returns whether every commit that changes a key sets the key to `value`. */
  #isSame(name: string, value: string | undefined): boolean {
    return !this.#changed.has(name) ||
      value !== undefined && this.#changed.get(name) === value;
  }
}

/**
 * Selects the commits for the next transaction. The others keep their order. No two commits in a
 * group touch the same key, except to check it for the same version or to set the same value. No
 * commit overtakes an earlier commit that touches the same keys. Therefore, separate commits would
 * have the same result.
 */
export function takeGroup<T extends { readonly footprint: Footprint }>(
  waiting: readonly T[],
  limits: GroupLimits,
): { readonly group: readonly T[]; readonly rest: T[] } {
  const [first] = waiting;
  if (first === undefined || first.footprint.alone) {
    return { group: waiting.slice(0, 1), rest: waiting.slice(1) };
  }
  const group: T[] = [];
  const passed: T[] = [];
  const seen = new Union();
  const left = { ...limits };
  let index = 0;
  for (; index < Math.min(waiting.length, LOOK_AHEAD); index++) {
    const member = waiting[index]!;
    const { footprint } = member;
    if (footprint.alone || seen.touches(footprint)) passed.push(member);
    else {
      left.checks -= footprint.checked.size;
      left.mutations -= footprint.mutations;
      left.keyBytes -= footprint.keyBytes;
      left.bytes -= footprint.bytes;
      const fits = Math.min(left.checks, left.mutations, left.keyBytes, left.bytes) >= 0;
      if (!fits && group.length > 0) break;
      group.push(member);
    }
    seen.add(footprint);
  }
  return { group, rest: [...passed, ...waiting.slice(index)] };
}

/** Takes as many commits as fit, in order. */
export function takeBatch<T extends { readonly footprint: Footprint }>(
  waiting: readonly T[],
  limits: GroupLimits,
): { readonly group: readonly T[]; readonly rest: T[] } {
  const left = { ...limits };
  let count = 0;
  for (const { footprint } of waiting) {
    left.checks -= footprint.checked.size;
    left.mutations -= footprint.mutations;
    left.keyBytes -= footprint.keyBytes;
    left.bytes -= footprint.bytes;
    const fits = Math.min(left.checks, left.mutations, left.keyBytes, left.bytes) >= 0;
    if (!fits && count > 0) break;
    count++;
  }
  return { group: waiting.slice(0, count), rest: waiting.slice(count) };
}
