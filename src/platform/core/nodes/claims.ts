/**
 * Claims to work that any node can do. The process that does the work stores its own ID, so other
 * nodes leave the work alone until that process has exited.
 *
 * @module
 */
import * as z from "zod";
import { readAll, readRecord } from "../store/mod.ts";
import type { Check, RecordKey, RecordStore } from "../../../store/mod.ts";
import type { Nodes } from "./nodes.ts";

/** The stored ID of the process that holds a claim; `null` if no process holds the claim. */
export type ClaimHolder = string | null;

const claimRecord = z.string();

export class Claims {
  readonly #nodes: Pick<Nodes, "instance" | "isAlive"> | undefined;

  /** @param nodes the nodes that share the work; by default, only this process */
  constructor(nodes?: Pick<Nodes, "instance" | "isAlive"> | undefined) {
    this.#nodes = nodes;
  }

  /** The value that identifies this process as the holder in a record. */
  get holder(): ClaimHolder {
    return this.#nodes?.instance ?? null;
  }

  /** Returns whether the holder is another process that is alive. */
  async isHeldElsewhere(holder: ClaimHolder | undefined): Promise<boolean> {
    const nodes = this.#nodes;
    if (nodes === undefined || typeof holder !== "string") return false;
    return holder !== nodes.instance && await nodes.isAlive(holder);
  }

  /**
   * Claims work that has its own record. `update` stores this process in the record, unless another
   * process has claimed the work in the meantime. Returns the result of `update`, or `undefined` if
   * another live process holds the claim.
   */
  async takeOver<T>(
    holder: ClaimHolder | undefined,
    update: (mine: ClaimHolder) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    return await this.isHeldElsewhere(holder) ? undefined : await update(this.holder);
  }

  /**
   * Claims work with a separate record. Whoever finishes the work must delete the returned check's
   * key.
   *
   * @param work the version of the work's own record, if there is one
   */
  async take(
    kv: RecordStore,
    key: RecordKey,
    work?: Check,
  ): Promise<Check | undefined> {
    const held = await readRecord(kv, key, claimRecord);
    return await this.takeOver(held?.value, async (mine) => {
      const taken = await kv.atomic()
        .check({ key, versionstamp: held?.versionstamp ?? null }, ...(work ? [work] : []))
        .set(key, mine)
        .commit();
      return taken.ok ? { key, versionstamp: taken.versionstamp } : undefined;
    });
  }

  /** Deletes a separate record, unless another process has taken over the claim. */
  async release(kv: RecordStore, key: RecordKey): Promise<void> {
    const held = await readRecord(kv, key, claimRecord);
    if (held === undefined || held.value !== this.holder) return;
    await kv.atomic().check({ key, versionstamp: held.versionstamp }).delete(key).commit();
  }

  /**
   * Finds the keys under a prefix whose claims are held by other live processes. Returns each key's
   * last part.
   */
  async heldElsewhere(kv: RecordStore, prefix: RecordKey): Promise<ReadonlySet<string>> {
    const held = new Set<string>();
    const known = new Map<string, boolean>();
    for await (const { key, value } of readAll(kv, prefix, claimRecord)) {
      if (!known.has(value)) known.set(value, await this.isHeldElsewhere(value));
      if (known.get(value) === true) held.add(String(key.at(-1)));
    }
    return held;
  }
}
