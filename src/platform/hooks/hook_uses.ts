/** Counts uses of hooks, with few commits and without delaying triggers. @module */
import * as z from "zod";
import { CoalescedWork } from "../../lib/coalesced_work.ts";
import { keys, readRecord } from "../core/store/mod.ts";
import type { HookUse } from "./hook.ts";
import type { RecordStore } from "../../store/mod.ts";

/** Maximum number of hooks in a commit. The commit changes two counters for each hook. */
const MAX_HOOKS = 100;

const counter = z.instanceof(Deno.KvU64);

interface Uses {
  readonly count: number;
  readonly last: number;
}

export class HookUses {
  /** Uses that have not been stored yet. */
  readonly #noted = new Map<string, Uses>();
  readonly #stores = new CoalescedWork(() => this.#storeAll());

  readonly #kv: RecordStore;
  readonly #onTrouble: (text: string) => void;

  constructor(kv: RecordStore, onTrouble: (text: string) => void) {
    this.#kv = kv;
    this.#onTrouble = onTrouble;
  }

  /** Counts a use. If the process crashes shortly afterwards, the use is lost. */
  note(id: string, now: number): void {
    const { count, last } = this.#noted.get(id) ?? { count: 0, last: 0 };
    this.#noted.set(id, { count: count + 1, last: Math.max(last, now) });
    this.#stores.start();
  }

  /** Returns a hook's uses, including those that have just been counted. */
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

  /** Waits until all counted uses have been stored. */
  async settled(): Promise<void> {
    await this.#stores.settled();
  }

  async #storeAll(): Promise<void> {
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
