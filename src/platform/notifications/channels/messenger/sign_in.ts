/** Sign-in and sign-up by messenger: the functions for the pages, and the bot's replies. @module */
import { uuidV7 } from "../../../../lib/ids.ts";
import type { Clock, Random } from "../../../../lib/clock.ts";
import {
  type AccountStore,
  type FactorWanted,
  type RaiseSecurityEvent,
  type SignedIn,
  type SignInService,
  type UserRecord,
  users,
} from "../../../accounts/mod.ts";
import { RateWindow } from "../../../core/access/mod.ts";
import {
  addressGroup,
  agentName,
  type Client,
  Failure,
  requireRate,
} from "../../../core/http/mod.ts";
import type { Bot, BotDialog } from "./bot.ts";
import { BotApiError } from "./bot_api.ts";
import { type LinkRecord, links, type LinkStore } from "./link_store.ts";
import { type BotMessage, botMessage, escapeHtml } from "./message.ts";
import type { Chat } from "./bot_updates.ts";
import { type Attempt, SignInAttempts, signInCode } from "./sign_in_attempts.ts";
import type { Lease, RecordStore } from "../../../../store/mod.ts";

/** How many attempts one IP address can start in ten minutes. */
const BEGINS = 20;
/**
 * How many attempts all addresses together can start in ten minutes. There is a limit, because each
 * attempt is stored.
 */
const ALL_BEGINS = 5000;
const BEGIN_WINDOW_MS = 10 * 60 * 1000;
/** How many accounts one IP address can create per hour, as with email. */
const SIGN_UPS_PER_HOUR = 20;
const HOUR_MS = 60 * 60 * 1000;

/** The progress of an attempt, as the page shows it. */
type SignInProgress =
  | { readonly type: "waiting"; readonly url: string; readonly number: number }
  | { readonly type: "denied" }
  /** There is no attempt, because it is over or belongs to another browser. */
  | { readonly type: "none" }
  /** The chat has an account: the session, or the request for the second factor. */
  | { readonly type: "entered"; readonly answer: SignedIn | FactorWanted }
  /** The chat has no account yet. */
  | { readonly type: "newcomer"; readonly name: string };

interface MessengerSignInParts {
  readonly kv: RecordStore;
  readonly links: LinkStore;
  readonly accounts: AccountStore;
  readonly signIn: Pick<SignInService, "admit" | "begin">;
  readonly raise: RaiseSecurityEvent;
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly random: Random;
}

const PREFIX = "signin";

export class MessengerSignIn implements BotDialog {
  readonly #attempts: SignInAttempts;
  readonly #begins: RateWindow;
  readonly #allBegins: RateWindow;
  readonly #signUps: RateWindow;
  readonly #host: string;

  readonly #parts: MessengerSignInParts;

  constructor(parts: MessengerSignInParts) {
    this.#parts = parts;
    const { now, publicOrigin } = parts;
    this.#attempts = new SignInAttempts(parts.kv, parts);
    this.#begins = new RateWindow({ limit: BEGINS, windowMs: BEGIN_WINDOW_MS }, now);
    this.#allBegins = new RateWindow({ limit: ALL_BEGINS, windowMs: BEGIN_WINDOW_MS }, now);
    this.#signUps = new RateWindow({ limit: SIGN_UPS_PER_HOUR, windowMs: HOUR_MS }, now);
    this.#host = new URL(publicOrigin).host;
  }

  /**
   * Starts an attempt for a browser. Returns the value of its cookie.
   *
   * @throws {Failure} if there are too many attempts
   */
  async begin(client: Client): Promise<string> {
    requireRate(this.#begins, addressGroup(client.address), "attempts");
    requireRate(this.#allBegins, "all", "attempts");
    return (await this.#attempts.begin(client)).cookie;
  }

  /** Returns the progress of a browser's attempt. Signs in if the chat has approved it. */
  async progress(cookie: string, client: Client, bot: Bot): Promise<SignInProgress> {
    const attempt = await this.#attempts.find(cookie);
    if (attempt === undefined) return { type: "none" };
    const { state } = attempt;
    if (state.type === "denied") return { type: "denied" };
    if (state.type !== "approved") {
      const url = await deepLink(bot, signInCode(cookie));
      return { type: "waiting", url, number: attempt.number };
    }
    const user = await this.#userOf(state.chat);
    if (user === undefined) return { type: "newcomer", name: state.chat.name };
    await this.#attempts.end(cookie);
    return { type: "entered", answer: await this.#parts.signIn.admit(user, client) };
  }

  /** Creates an account for the chat that approved the attempt. @throws {Failure} if no chat did */
  async signUp(
    cookie: string,
    name: string,
    client: Client,
  ): Promise<SignedIn | FactorWanted> {
    const { kv, signIn, now, random } = this.#parts;
    const attempt = await this.#attempts.find(cookie);
    if (attempt?.state.type !== "approved") {
      throw new Failure("unauthorized", "Sign-up took too long. Start again");
    }
    requireRate(this.#signUps, addressGroup(client.address), "attempts");
    const { chat } = attempt.state;
    const user: UserRecord = {
      id: uuidV7(now, random),
      name,
      email: null,
      signUpMethod: "messenger",
      createdAt: now(),
    };
    const link: LinkRecord = {
      id: uuidV7(now, random),
      userId: user.id,
      chatId: chat.id,
      name: chat.name,
      username: chat.username,
      status: "active",
      createdAt: now(),
    };
    const operation = kv.atomic();
    users.insert(operation, user);
    links.insert(operation, link);
    const { ok } = await operation.commit();
    await this.#attempts.end(cookie);
    if (ok) return await signIn.begin(user, client);
    const known = await this.#userOf(chat);
    if (known === undefined) {
      throw new Failure("conflict", "Cannot create the account. Start again");
    }
    return await signIn.admit(known, client);
  }

  async start(code: string, chat: Chat, lease: Lease): Promise<BotMessage | undefined> {
    const asked = await this.#attempts.ask(code, chat, lease);
    if (asked === undefined) return undefined;
    if (asked === "used") return botMessage("This link was already used. Start again on the page.");
    const { attempt: { id, client }, choices } = asked;
    const { address, country } = client;
    const from = country === null ? address : `${address}, ${country}`;
    const lines = [
      `<b>Sign in to ${escapeHtml(this.#host)}?</b>`,
      `${escapeHtml(agentName(client.userAgent))}\n${escapeHtml(from)}`,
      "Tap the number shown on the sign-in page. If someone sent you this link, choose “It wasn't me”. Otherwise they get access to your account.",
    ];
    const tap = (text: string, choice: string) => ({
      text,
      callback_data: `${PREFIX}:${id}:${choice}`,
    });
    return botMessage(lines.join("\n\n"), {
      buttons: [
        choices.map((number) => tap(`${number}`, `${number}`)),
        [tap("It wasn't me", "no")],
      ],
    });
  }

  async tap(data: string, chat: Chat, lease: Lease): Promise<string | undefined> {
    const match = /^signin:([\w-]{16}):(\d\d|no)$/.exec(data);
    if (match === null) return undefined;
    const number = match[2] === "no" ? null : Number(match[2]);
    const { verdict, attempt } = await this.#attempts.answer(match[1]!, chat.id, number, lease);
    if (attempt !== undefined && verdict !== "approved") await this.#report(attempt, chat, lease);
    switch (verdict) {
      case "approved":
        return `Signed in to ${this.#host}. Continue in the browser.`;
      case "denied":
        return "Sign-in cancelled. Whoever sent you the link tried to get into your account.";
      case "wrong_number":
        return "That was a different number, so sign-in was cancelled. Start again on the page.";
      case "unknown":
        return "This sign-in has expired. Start again on the page.";
    }
  }

  async #report(attempt: Attempt, chat: Chat, lease: Lease): Promise<void> {
    const user = await this.#userOf(chat);
    if (user === undefined) return;
    const detail = `A messenger sign-in from ${attempt.client.address} was rejected in the chat`;
    const { address, userAgent, country } = attempt.client;
    const client = { address, userAgent, cookie: null, country: () => country };
    await this.#parts.raise({
      event: "security.suspicious_activity",
      userId: user.id,
      detail,
      client,
    }, lease);
  }

  async #userOf(chat: Chat): Promise<UserRecord | undefined> {
    const link = await this.#parts.links.findByChat(chat.id);
    return link === undefined ? undefined : await this.#parts.accounts.users.find(link.userId);
  }
}

async function deepLink(bot: Bot, code: string): Promise<string> {
  try {
    return await bot.deepLink(code);
  } catch (error) {
    if (!(error instanceof BotApiError)) throw error;
    throw new Failure("conflict", "The messenger cannot be reached. Try again in a minute", {
      cause: error,
    });
  }
}
