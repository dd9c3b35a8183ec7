/** The chat bot: its name and its responses. @module */
import * as z from "zod";
import { rememberRead } from "../../../../lib/remember_read.ts";
import type { Clock, Random } from "../../../../lib/clock.ts";
import { uuidV7 } from "../../../../lib/ids.ts";
import type { BotApi } from "./bot_api.ts";
import { type BotInput, type Chat, readInput, type Update } from "./bot_updates.ts";
import type { LinkStore } from "./link_store.ts";
import { type BotMessage, botMessage, escapeHtml } from "./message.ts";
import type { Lease, Led } from "../../../../store/mod.ts";

/** One of the bot's dialogs other than linking a chat, such as sign-in. */
export interface BotDialog {
  /** Replies to `/start <code>`. Returns `undefined` for a code from another dialog. */
  start(
    code: string,
    chat: Chat,
    lease: Lease,
  ): Promise<BotMessage | undefined> | BotMessage | undefined;
  /** Replies to a tap on a button. Returns `undefined` for a button from another dialog. */
  tap(
    data: string,
    chat: Chat,
    lease: Lease,
  ): Promise<string | undefined> | string | undefined;
}

interface BotOptions {
  readonly api: BotApi;
  readonly links: Led<Pick<LinkStore, "findByChat" | "link" | "setStatus" | "takeCode">>;
  readonly publicOrigin: string;
  /** The bot's name without @. By default, the bot requests its name from the API. */
  readonly name?: string;
  readonly dialogs?: readonly BotDialog[];
  accountName(userId: string): Promise<string | undefined>;
  readonly now: Clock;
  readonly random: Random;
}

export class Bot {
  readonly #host: string;
  /** Returns the bot's name without @. @throws {BotApiError} if the name is not known yet */
  readonly name: () => Promise<string>;

  readonly #options: BotOptions;

  constructor(options: BotOptions) {
    this.#options = options;
    this.#host = new URL(options.publicOrigin).host;
    this.name = rememberRead(async () => {
      const result = z.object({ username: z.string().regex(/^\w{3,64}$/) });
      return options.name ?? (await options.api.call("getMe", {}, { result })).username;
    });
  }

  async deepLink(code: string): Promise<string> {
    return `https://t.me/${await this.name()}?start=${code}`;
  }

  async handle(update: Update, lease: Lease): Promise<void> {
    const input = readInput(update);
    if (input === undefined) return;
    if (input.type === "tap") return await this.#answerTap(input, lease);
    await this.#write(input.chat, await this.#answerCommand(input, lease));
  }

  async #write(chat: Chat, message: BotMessage): Promise<void> {
    await this.#options.api.call("sendMessage", { chat_id: chat.id, ...message }, {
      result: z.unknown(),
    });
  }

  async #answerCommand(
    { name, argument, chat }: Extract<BotInput, { type: "command" }>,
    lease: Lease,
  ): Promise<BotMessage> {
    if (name === "start" && argument !== "") return await this.#start(argument, chat, lease);
    const link = await this.#options.links.findByChat(chat.id);
    if (link === undefined) {
      const url = `${this.#options.publicOrigin}/account/channels`;
      return this.#about(`This chat is not linked to an account. Link it at ${url}`);
    }
    if (name === "stop") {
      await this.#options.links.setStatus(link, "stopped", lease);
      return botMessage("Notifications are off.\nSend /start to turn them on again.");
    }
    if (name === "start") await this.#options.links.setStatus(link, "active", lease);
    return this.#about(
      link.status === "active" || name === "start"
        ? "This chat gets your notifications.\nSend /stop to turn them off."
        : "This chat is linked, but notifications are off.\nSend /start to turn them on.",
    );
  }

  #about(state: string): BotMessage {
    return botMessage(`<b>${escapeHtml(this.#host)}</b>\n\n${escapeHtml(state)}`);
  }

  async #start(code: string, chat: Chat, lease: Lease): Promise<BotMessage> {
    const { links, now, random, accountName, dialogs = [] } = this.#options;
    for (const dialog of dialogs) {
      const answer = await dialog.start(code, chat, lease);
      if (answer !== undefined) return answer;
    }
    const userId = await links.takeCode(code, now(), lease);
    const name = userId === undefined ? undefined : await accountName(userId);
    if (userId === undefined || name === undefined) {
      return botMessage(
        "This link has expired or was already used. Create a new one under Channels.",
      );
    }
    const result = await links.link({
      id: uuidV7(now, random),
      userId,
      chatId: chat.id,
      status: "active",
      createdAt: now(),
      name: chat.name,
      username: chat.username,
    }, lease);
    if (result === "taken") {
      return botMessage(
        "This chat is linked to another account. Unlink it there first.",
      );
    }
    if (result === "too_many") {
      return botMessage(
        "Your account has the maximum number of chats. Unlink one first.",
      );
    }
    const [account, host] = [escapeHtml(name), escapeHtml(this.#host)];
    return botMessage(
      `Linked to the account <b>${account}</b> on ${host}.\n` +
        "You'll get its notifications here. Send /stop to turn them off.",
    );
  }

  async #answerTap(
    { data, chat, queryId, messageId }: Extract<BotInput, { type: "tap" }>,
    lease: Lease,
  ): Promise<void> {
    const { api, dialogs = [] } = this.#options;
    let text = "This button has expired.";
    for (const dialog of dialogs) text = await dialog.tap(data, chat, lease) ?? text;
    const result = z.unknown();
    await api.call("answerCallbackQuery", { callback_query_id: queryId }, { result });
    await api.call("editMessageText", {
      chat_id: chat.id,
      message_id: messageId,
      text: escapeHtml(text),
      parse_mode: "HTML",
    }, { result });
  }
}
