/**
 * Sign-ins that are waiting for approval in the messenger. These attempts are stored in Deno KV,
 * because the browser may ask any node, but only one node receives the chat's messages. An attempt
 * belongs to one browser, identified by a cookie, and to the first chat that opens its link. The
 * person must tap the number that the page shows. The victim of a forwarded link cannot see this
 * number.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import * as z from "zod";
import type { Clock, Random } from "../../../../lib/clock.ts";
import { sha256Hex } from "../../../../lib/hash.ts";
import type { Client } from "../../../core/http/mod.ts";
import { commitWithRetries, readRecord } from "../../../core/store/mod.ts";
import type { Chat } from "./bot_updates.ts";
import { messengerKeys } from "./link_store.ts";
import type { Lease, RecordStore } from "../../../../store/mod.ts";

/** How long a person has to open the bot and tap the number, in milliseconds. */
export const ATTEMPT_MS = 10 * 60 * 1000;
const CHOICES = 3;

const chat = z.object({ id: z.number(), name: z.string(), username: z.string().nullable() });

const attemptRecord = z.object({
  id: z.string(),
  /** The number that the page shows: from 10 to 99. */
  number: z.number(),
  client: z.object({
    address: z.string(),
    userAgent: z.string().nullable(),
    country: z.string().nullable(),
  }),
  expiresAt: z.number(),
  state: z.discriminatedUnion("type", [
    z.object({ type: z.literal("waiting") }),
    z.object({ type: z.literal("asked"), chat, choices: z.array(z.number()) }),
    z.object({ type: z.literal("approved"), chat }),
    z.object({ type: z.literal("denied") }),
  ]),
});
export type Attempt = z.infer<typeof attemptRecord>;

type Verdict = "approved" | "denied" | "wrong_number" | "unknown";

/** `used` if the link was opened before. */
export type Asked = { readonly attempt: Attempt; readonly choices: readonly number[] } | "used";

interface Change<T> {
  /** The attempt's new state; missing if the attempt does not change. */
  readonly state?: Attempt["state"];
  readonly result: T;
}

const hashOf = (cookie: string): string => sha256Hex(`svc messenger sign-in\n${cookie}`);

const CODE_BYTES = 24;

/** Derives the code in the link to the bot from the cookie, so the code need not be stored. */
export function signInCode(cookie: string): string {
  const hash = Buffer.from(sha256Hex(`svc messenger sign-in code\n${cookie}`), "hex");
  return hash.subarray(0, CODE_BYTES).toString("base64url");
}

/** Returns the name of a code in the store, which does not reveal the code. */
const codeName = (code: string): string => sha256Hex(`svc messenger sign-in link\n${code}`);

export class SignInAttempts {
  readonly #kv: RecordStore;
  readonly #options: { readonly now: Clock; readonly random: Random };

  constructor(kv: RecordStore, options: { readonly now: Clock; readonly random: Random }) {
    this.#kv = kv;
    this.#options = options;
  }

  /** Starts an attempt. `cookie` is the cookie's value in the person's browser. */
  async begin(client: Client): Promise<{ readonly cookie: string; readonly attempt: Attempt }> {
    const { now, random } = this.#options;
    const cookie = Buffer.from(random(32)).toString("base64url");
    const { address, userAgent } = client;
    const attempt: Attempt = {
      id: Buffer.from(random(12)).toString("base64url"),
      number: this.#number(),
      client: { address, userAgent, country: client.country() },
      expiresAt: now() + ATTEMPT_MS,
      state: { type: "waiting" },
    };
    const hash = hashOf(cookie);
    const expires = { expireIn: 2 * ATTEMPT_MS };
    await this.#kv.atomic()
      .set(messengerKeys.signIn(hash), attempt, expires)
      .set(messengerKeys.signInByName(codeName(signInCode(cookie))), hash, expires)
      .set(messengerKeys.signInByName(attempt.id), hash, expires)
      .commit();
    return { cookie, attempt };
  }

  async find(cookie: string): Promise<Attempt | undefined> {
    return (await this.#read(hashOf(cookie)))?.value;
  }

  async end(cookie: string): Promise<void> {
    await this.#kv.delete(messengerKeys.signIn(hashOf(cookie)));
  }

  /**
   * Records that a chat opened the link. Returns the numbers to choose from, or `undefined` if no
   * attempt has this code.
   */
  ask(code: string, chat: Chat, lease?: Lease): Promise<Asked | undefined> {
    return this.#change<Asked>({ name: codeName(code), lease }, (attempt) => {
      if (attempt.state.type !== "waiting") return { result: "used" };
      const numbers = new Set([attempt.number]);
      while (numbers.size < CHOICES) numbers.add(this.#number());
      const choices = [...numbers].sort((a, b) => a - b);
      return { state: { type: "asked", chat, choices }, result: { attempt, choices } };
    });
  }

  /**
   * Records the number that a chat tapped, or `null` if the person denies the attempt. A wrong
   * number ends the attempt.
   */
  async answer(
    id: string,
    chatId: number,
    number: number | null,
    lease?: Lease,
  ): Promise<{ readonly verdict: Verdict; readonly attempt?: Attempt }> {
    const unknown = { verdict: "unknown" } as const;
    const answered = await this.#change<{ verdict: Verdict; attempt?: Attempt }>(
      { name: id, lease },
      (attempt) => {
        const { state } = attempt;
        if (state.type !== "asked" || state.chat.id !== chatId) return { result: unknown };
        const isRight = number === attempt.number;
        const verdict = isRight ? "approved" : number === null ? "denied" : "wrong_number";
        return {
          state: isRight ? { type: "approved", chat: state.chat } : { type: "denied" },
          result: { verdict, attempt },
        };
      },
    );
    return answered ?? unknown;
  }

  /**
   * Changes the attempt with the given code or ID. Returns `undefined` if there is no such attempt.
   */
  async #change<T>(
    { name, lease }: { readonly name: string; readonly lease: Lease | undefined },
    decide: (attempt: Attempt) => Change<T>,
  ): Promise<T | undefined> {
    const found = await readRecord(this.#kv, messengerKeys.signInByName(name), z.string());
    if (found === undefined) return undefined;
    const key = messengerKeys.signIn(found.value);
    return await commitWithRetries<T | undefined>(this.#kv, [key], async (operation) => {
      const current = await this.#read(found.value);
      if (current === undefined) return undefined;
      const { state, result } = decide(current.value);
      if (state === undefined) return result;
      operation.check({ key, versionstamp: current.versionstamp })
        .set(key, { ...current.value, state }, { expireIn: 2 * ATTEMPT_MS });
      return result;
    }, { lease });
  }

  async #read(hash: string) {
    const found = await readRecord(this.#kv, messengerKeys.signIn(hash), attemptRecord);
    return found !== undefined && this.#options.now() < found.value.expiresAt ? found : undefined;
  }

  #number(): number {
    for (;;) {
      const byte = this.#options.random(1)[0]!;
      if (byte < 180) return 10 + byte % 90;
    }
  }
}
