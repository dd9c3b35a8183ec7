/**
 * Counts the uses of hooks. Uses during a commit are stored together by the next one, and no
 * trigger waits for it.
 *
 * @module
 */
import * as z from "zod";
import { keys, readRecord } from "../core/store/mod.ts";
import type { HookUse } from "./hook.ts";
import type { RecordStore } from "../../store/mod.ts";

/** Hooks of one commit, which changes two counters for each. */
const MAX_HOOKS = 100;

const counter = z.instanceof(Deno.KvU64);

interface Uses {
  readonly count: number;
  readonly last: number;
}

export class HookUses {
  /** Uses that were not stored yet. */
  readonly #noted = new Map<string, Uses>();
  #storing: Promise<void> | undefined;

  readonly #kv: RecordStore;
  readonly #onTrouble: (text: string) => void;

  constructor(kv: RecordStore, onTrouble: (text: string) => void) {
    this.#kv = kv;
    this.#onTrouble = onTrouble;
  }

  /** Counts a use. A crash in the next moment loses it. */
  note(id: string, now: number): void {
    const { count, last } = this.#noted.get(id) ?? { count: 0, last: 0 };
    this.#noted.set(id, { count: count + 1, last: Math.max(last, now) });
    this.#storing ??= this.#storeAll().finally(() => this.#storing = undefined);
  }

  /** How a hook was used, with all that was noted before. */
  async of(id: string): Promise<HookUse> {
    await this.settled();
    const [count, last] = await Promise.all([
      readRecord(this.#kv, keys.hookUse(id, "count"), counter),
      readRecord(this.#kv, keys.hookUse(id, "last"), counter),
    ]);
    return {
      count: Number(count?.value.value ?? 0n),
      last: last === undefined ? null : Number(last.value.value),
    };
  }

  /** Waits until all that was noted is stored. */
  async settled(): Promise<void> {
    await this.#storing;
  }

  async #storeAll(): Promise<void> {
    // Notes of the same turn are stored together.
    await Promise.resolve();
    while (this.#noted.size > 0) {
      const batch = [...this.#noted].slice(0, MAX_HOOKS);
      const operation = this.#kv.atomic();
      for (const [id, { count, last }] of batch) {
        this.#noted.delete(id);
        operation.sum(keys.hookUse(id, "count"), BigInt(count))
          .max(keys.hookUse(id, "last"), BigInt(last));
      }
      try {
        await operation.commit();
      } catch (error) {
        this.#onTrouble(`Cannot count the uses of deploy hooks: ${error}`);
      }
    }
  }
}
