/**
 * A server that implements the parts of the Telegram Bot API that our bot uses: long polling,
 * messages with validated markup, blocked chats, and rate limiting.
 *
 * @module
 */
import { stopServer } from "../../src/lib/stop_server.ts";

export const BOT_TOKEN = "123456:AAE-test_token_that_nobody_may_see";

interface SentMessage {
  readonly chatId: number;
  readonly text: string;
  readonly buttons: readonly {
    readonly text: string;
    readonly url?: string;
    readonly callback_data?: string;
  }[];
}

export interface TestBotApi extends AsyncDisposable {
  readonly url: string;
  readonly sent: SentMessage[];
  readonly edited: string[];
  /** Chats to which the bot is not allowed to write. */
  readonly blocked: Set<number>;
  /** Wait times in seconds. Each entry makes one `sendMessage` call respond with 429. */
  readonly tooMany: number[];
  /** Sends a message as the person in a chat. */
  write(chatId: number, text: string): void;
  /** Taps the last button with the given label, as the person in a chat. */
  tap(chatId: number, label: string): void;
  /** Resolves when the bot has sent `count` messages to a chat. */
  until(chatId: number, count: number): Promise<SentMessage[]>;
}

interface Call {
  readonly chat_id?: number;
  readonly text?: string;
  readonly parse_mode?: string;
  readonly offset?: number;
  readonly timeout?: number;
  readonly reply_markup?: {
    inline_keyboard: { text: string; url?: string; callback_data?: string }[][];
  };
}

const ok = (result: unknown) => Response.json({ ok: true, result });
const refuse = (code: number, description: string, parameters?: object) =>
  Response.json({ ok: false, error_code: code, description, parameters }, { status: code });

/**
 * Returns whether a string is HTML that the Bot API accepts: known tags, closed in order, and no
 * bare `<` or `&`.
 */
function isMarkup(text: string): boolean {
  const open: string[] = [];
  const rest = text.replace(/<(\/?)(b|i|u|s|code|pre)>/g, (_, slash, tag) => {
    if (slash === "") open.push(tag);
    else if (open.pop() !== tag) open.push("broken");
    return "";
  });
  return open.length === 0 && !/[<>]|&(?!(?:lt|gt|amp|quot);)/.test(rest);
}

export function serveBotApi(): TestBotApi {
  const updates: { update_id: number }[] = [];
  const sent: SentMessage[] = [];
  const edited: string[] = [];
  const blocked = new Set<number>();
  const tooMany: number[] = [];
  const listeners = new Set<() => void>();
  const closing = new AbortController();
  let count = 0;
  const tell = () => {
    for (const listener of [...listeners]) listener();
  };
  const add = (update: object) => {
    updates.push({ update_id: 1000 + count++, ...update });
    tell();
  };
  const person = (chatId: number) => ({
    id: chatId,
    is_bot: false,
    first_name: "Ada",
    last_name: "<L>",
    username: `ada${chatId}`,
  });

  const poll = ({ offset = 0, timeout = 0 }: Call): Promise<Response> =>
    new Promise((resolve) => {
      const done = (isLast: boolean) => {
        const found = updates.filter(({ update_id }) => update_id >= offset);
        if (found.length === 0 && !isLast) return;
        clearTimeout(timer);
        listeners.delete(check);
        resolve(ok(found));
      };
      const check = () => done(closing.signal.aborted);
      listeners.add(check);
      const timer = setTimeout(() => done(true), timeout * 1000);
      check();
    });

  const send = (call: Call): Response => {
    const { chat_id: chatId = 0, text = "", parse_mode, reply_markup } = call;
    const wait = tooMany.shift();
    if (wait !== undefined) {
      return refuse(429, `Too Many Requests: retry after ${wait}`, { retry_after: wait });
    }
    if (blocked.has(chatId)) return refuse(403, "Forbidden: bot was blocked by the user");
    if (text === "" || text.length > 4096) return refuse(400, "Bad Request: message text is empty");
    if (parse_mode !== "HTML" || !isMarkup(text)) {
      return refuse(400, "Bad Request: can't parse entities");
    }
    const buttons = (reply_markup?.inline_keyboard ?? []).flat();
    for (const { url, callback_data } of buttons) {
      if (url !== undefined && !new URL(url).hostname.includes(".")) {
        return refuse(400, "Bad Request: inline keyboard button URL is invalid: Wrong HTTP URL");
      }
      if (callback_data !== undefined && callback_data.length > 64) {
        return refuse(400, "Bad Request: BUTTON_DATA_INVALID");
      }
    }
    sent.push({ chatId, text, buttons });
    tell();
    return ok({ message_id: sent.length, chat: { id: chatId } });
  };

  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const [, bot, method] = new URL(request.url).pathname.split("/");
      if (bot !== `bot${BOT_TOKEN}`) return refuse(401, "Unauthorized");
      const call = await request.json() as Call;
      switch (method) {
        case "getMe":
          return ok({ id: 1, is_bot: true, first_name: "svc", username: "svc_test_bot" });
        case "getUpdates":
          return await poll(call);
        case "sendMessage":
          return send(call);
        case "editMessageText":
          edited.push(call.text ?? "");
          tell();
          return ok(true);
        case "answerCallbackQuery":
          return ok(true);
        default:
          return refuse(404, "Not Found");
      }
    },
  );
  const of = (chatId: number) => sent.filter((message) => message.chatId === chatId);
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    sent,
    edited,
    blocked,
    tooMany,
    write: (chatId, text) =>
      add({
        message: {
          message_id: count,
          date: 0,
          chat: { id: chatId, type: "private" },
          from: person(chatId),
          text,
        },
      }),
    tap(chatId, label) {
      const button = of(chatId).flatMap(({ buttons }) => buttons)
        .findLast(({ text }) => text === label);
      if (button?.callback_data === undefined) throw new Error(`No button ${label}`);
      add({
        callback_query: {
          id: `query ${count}`,
          from: person(chatId),
          data: button.callback_data,
          message: { message_id: 1, chat: { id: chatId } },
        },
      });
    },
    until: (chatId, wanted) =>
      new Promise((resolve) => {
        const check = () => {
          const messages = of(chatId);
          if (messages.length < wanted) return;
          listeners.delete(check);
          resolve(messages);
        };
        listeners.add(check);
        check();
      }),
    async [Symbol.asyncDispose]() {
      closing.abort();
      tell();
      await stopServer(server);
    },
  };
}
