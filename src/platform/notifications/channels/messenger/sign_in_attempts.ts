/**
 * Sign-ins that wait for approval in the messenger. They are in memory: after a restart
 * people begin again. An attempt belongs to one browser, by its cookie, and to the first
 * chat that opens its link. The person taps the number that the page shows, which the
 * victim of a forwarded link does not know. Pure, except for its memory.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type { Clock, Random } from "../../../../lib/clock.ts";
import { sha256Hex } from "../../../../lib/hash.ts";
import type { Client } from "../../../core/http/mod.ts";
import type { Chat } from "./bot_updates.ts";

/** Time to open the bot and to tap. */
export const ATTEMPT_MS = 10 * 60 * 1000;
/** How many attempts are open at once; the oldest is dropped first. */
const MAX_OPEN = 5000;
const CHOICES = 3;

export interface Attempt {
  readonly id: string;
  /** In the link to the bot: 192 random bits. */
  readonly code: string;
  /** The number that the page shows: 10 to 99. */
  readonly number: number;
  readonly client: Client;
  readonly expiresAt: number;
  readonly state:
    | { readonly type: "waiting" }
    | { readonly type: "asked"; readonly chat: Chat; readonly choices: readonly number[] }
    | { readonly type: "approved"; readonly chat: Chat }
    | { readonly type: "denied" };
}

export type Verdict = "approved" | "denied" | "wrong_number" | "unknown";

const hashOf = (cookie: string): string => sha256Hex(`svc messenger sign-in\n${cookie}`);

export class SignInAttempts {
  /** By the hash of the browser's cookie, oldest first. */
  private readonly open = new Map<string, Attempt>();

  constructor(private readonly options: { readonly now: Clock; readonly random: Random }) {}

  /** Begins an attempt; `cookie` is what its browser keeps. */
  begin(client: Client): { readonly cookie: string; readonly attempt: Attempt } {
    const { now, random } = this.options;
    for (const [hash, { expiresAt }] of this.open) {
      if (now() < expiresAt && this.open.size < MAX_OPEN) break;
      this.open.delete(hash);
    }
    const cookie = Buffer.from(random(32)).toString("base64url");
    const attempt: Attempt = {
      id: Buffer.from(random(12)).toString("base64url"),
      code: Buffer.from(random(24)).toString("base64url"),
      number: this.number(),
      client,
      expiresAt: now() + ATTEMPT_MS,
      state: { type: "waiting" },
    };
    this.open.set(hashOf(cookie), attempt);
    return { cookie, attempt };
  }

  /** The attempt of a browser. */
  find(cookie: string): Attempt | undefined {
    const attempt = this.open.get(hashOf(cookie));
    return attempt !== undefined && this.options.now() < attempt.expiresAt ? attempt : undefined;
  }

  /** Ends the attempt of a browser. */
  end(cookie: string): void {
    this.open.delete(hashOf(cookie));
  }

  /** A chat opens the link: the numbers to choose from, or `used`; `undefined` for another code. */
  ask(
    code: string,
    chat: Chat,
  ): { readonly attempt: Attempt; readonly choices: readonly number[] } | "used" | undefined {
    const entry = this.entry((attempt) => attempt.code === code);
    if (entry === undefined) return undefined;
    const [hash, attempt] = entry;
    if (attempt.state.type !== "waiting") return "used";
    const numbers = new Set([attempt.number]);
    while (numbers.size < CHOICES) numbers.add(this.number());
    const choices = [...numbers].sort((a, b) => a - b);
    this.open.set(hash, { ...attempt, state: { type: "asked", chat, choices } });
    return { attempt, choices };
  }

  /** A chat taps a number, or (`null`) that it was not them. A wrong number ends the attempt. */
  answer(
    id: string,
    chatId: number,
    number: number | null,
  ): { readonly verdict: Verdict; readonly attempt?: Attempt } {
    const entry = this.entry((attempt) => attempt.id === id);
    if (entry === undefined) return { verdict: "unknown" };
    const [hash, attempt] = entry;
    const { state } = attempt;
    if (state.type !== "asked" || state.chat.id !== chatId) return { verdict: "unknown" };
    const isRight = number === attempt.number;
    this.open.set(hash, {
      ...attempt,
      state: isRight ? { type: "approved", chat: state.chat } : { type: "denied" },
    });
    const verdict = isRight ? "approved" : number === null ? "denied" : "wrong_number";
    return { verdict, attempt };
  }

  private entry(matches: (attempt: Attempt) => boolean): [string, Attempt] | undefined {
    for (const entry of this.open) {
      if (matches(entry[1]) && this.options.now() < entry[1].expiresAt) return entry;
    }
    return undefined;
  }

  /** 10 to 99, each as likely as the others. */
  private number(): number {
    for (;;) {
      const byte = this.options.random(1)[0]!;
      if (byte < 180) return 10 + byte % 90;
    }
  }
}
