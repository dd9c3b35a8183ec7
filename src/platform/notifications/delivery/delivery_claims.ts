/**
 * Claims of messages: where several nodes send, each message is sent by the one that holds
 * it. What a process held that has ended is free.
 *
 * @module
 */
import { z } from "zod";
import type { Nodes } from "../../core/nodes/mod.ts";
import { readAll, readRecord } from "../../core/store/mod.ts";
import { deliveryKeys } from "./job.ts";
import type { Check, RecordStore } from "../../../store/mod.ts";

/** The message to claim, as it was listed. */
export interface Claimed {
  readonly id: string;
  readonly at: number;
  /** Of its entry in the list of what is due. */
  readonly version: string;
}

/** The process that holds a message. */
const claimRecord = z.string();

export class DeliveryClaims {
  constructor(
    private readonly kv: RecordStore,
    private readonly nodes: Pick<Nodes, "instance" | "isAlive">,
  ) {}

  /** The messages that processes of other nodes hold. */
  async heldByOthers(channel: string): Promise<ReadonlySet<string>> {
    const { instance } = this.nodes;
    const held = new Set<string>();
    const alive = new Map<string, boolean>([[instance, false]]);
    for await (
      const { key, value } of readAll(this.kv, deliveryKeys.claims(channel), claimRecord)
    ) {
      if (!alive.has(value)) alive.set(value, await this.nodes.isAlive(value));
      if (alive.get(value) === true) held.add(String(key.at(-1)));
    }
    return held;
  }

  /** Claims a message; `undefined` where another node was quicker, or it is not due any more. */
  async take(channel: string, { id, at, version }: Claimed): Promise<Check | undefined> {
    const key = deliveryKeys.claim(channel, id);
    const held = await readRecord(this.kv, key, claimRecord);
    const { instance, isAlive } = this.nodes;
    const isOthers = held !== undefined && held.value !== instance;
    if (isOthers && await isAlive.call(this.nodes, held.value)) return undefined;
    const taken = await this.kv.atomic()
      .check({ key, versionstamp: held?.versionstamp ?? null })
      .check({ key: deliveryKeys.due(channel, at, id), versionstamp: version })
      .set(key, instance)
      .commit();
    return taken.ok ? { key, versionstamp: taken.versionstamp } : undefined;
  }
}
