/** Polls the Bot API. The position is stored, so no update is lost in a restart. @module */
import * as z from "zod";
import { readRecord } from "../../../core/store/mod.ts";
import type { Nodes } from "../../../core/nodes/mod.ts";
import { type BotApi, BotApiError } from "./bot_api.ts";
import { type Update, updateList } from "./bot_updates.ts";
import { Lease, type LeasedStore, LeaseLostError, type RecordKey } from "../../../../store/mod.ts";

const OFFSET_KEY: RecordKey = ["messenger", "offset"];
/** Maximum time that the Bot API keeps a request open, in seconds. */
const WAIT_SECONDS = 50;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

interface BotPollerOptions {
  readonly kv: LeasedStore;
  readonly api: BotApi;
  /**
   * The platform's nodes. Only one of them polls, because the Bot API serves only one client. By
   * default, there is only this node.
   */
  readonly nodes?: Pick<Nodes, "leads" | "during"> | undefined;
  handle(update: Update, lease: Lease): Promise<void>;
  onTrouble(message: string): void;
}

export class BotPoller {
  readonly #closing = new AbortController();
  #running: Promise<void> | undefined;

  readonly #options: BotPollerOptions;

  constructor(options: BotPollerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  /** Polls once, and handles the updates. @throws {BotApiError | LeaseLostError} */
  async poll(lease: Lease): Promise<void> {
    const { kv, api, handle, onTrouble } = this.#options;
    const offset = (await readRecord(kv, OFFSET_KEY, z.number()))?.value ?? 0;
    const updates = await api.call("getUpdates", {
      offset,
      timeout: WAIT_SECONDS,
      allowed_updates: ["message", "callback_query"],
    }, {
      result: updateList,
      timeoutMs: (WAIT_SECONDS + 10) * 1000,
      signal: this.#closing.signal,
    });
    for (const update of updates) {
      await lease.requireHeld();
      try {
        await handle(update, lease);
      } catch (cause) {
        if (cause instanceof LeaseLostError) throw cause;
        onTrouble(`The chat bot cannot reply: ${cause}`);
      }
      await kv.atomic().set(OFFSET_KEY, update.update_id + 1).commit(lease);
    }
  }

  /** Polls if it is this node's turn. Otherwise, returns `false`. */
  async #pollHere(): Promise<boolean> {
    const { nodes } = this.#options;
    if (nodes?.leads("bot") === false) return false;
    if (nodes === undefined) await this.poll(Lease.ofSoleNode("bot"));
    else await nodes.during("bot", (lease) => this.poll(lease));
    return true;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      try {
        if (!await this.#pollHere()) await this.#pause(FIRST_PAUSE_MS);
        failures = 0;
      } catch (cause) {
        if (this.#closing.signal.aborted) return;
        if (cause instanceof LeaseLostError) continue;
        if (failures++ === 0) {
          this.#options.onTrouble(`The chat bot cannot receive messages: ${cause}`);
        }
        const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10));
        const asked = cause instanceof BotApiError ? cause.retryAfterMs ?? 0 : 0;
        await this.#pause(Math.max(backoff, asked));
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#closing.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve();
      }, { once: true });
    });
  }
}
