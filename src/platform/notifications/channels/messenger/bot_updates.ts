/** Updates from the Bot API: what people do in the chat with the bot. @module */
import * as z from "zod";

const person = z.object({
  first_name: z.string().default(""),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const update = z.object({
  update_id: z.number().int(),
  message: z.object({
    chat: z.object({ id: z.number().int(), type: z.string() }),
    from: person.optional(),
    text: z.string().optional(),
  }).optional(),
  callback_query: z.object({
    id: z.string(),
    from: person,
    data: z.string().optional(),
    message: z.object({ message_id: z.number(), chat: z.object({ id: z.number().int() }) })
      .optional(),
  }).optional(),
});

/** Updates, with their numbers. If an update has an unknown form, only its number is kept. */
export const updateList = z.array(z.union([
  update,
  z.object({ update_id: z.number().int() }).transform(({ update_id }) => ({
    update_id,
    message: undefined,
    callback_query: undefined,
  })),
]));
export type Update = z.infer<typeof updateList>[number];

/** A private chat with one person. */
export interface Chat {
  readonly id: number;
  readonly name: string;
  /** Without @. */
  readonly username: string | null;
}

export type BotInput =
  | {
    readonly type: "command";
    readonly chat: Chat;
    readonly name: string;
    readonly argument: string;
  }
  | {
    readonly type: "tap";
    readonly chat: Chat;
    readonly queryId: string;
    readonly messageId: number;
    readonly data: string;
  };

const MAX_NAME = 100;

function chatOf(id: number, from: z.infer<typeof person> | undefined): Chat {
  const name = [from?.first_name, from?.last_name].filter(Boolean).join(" ").trim();
  return { id, name: (name || "Somebody").slice(0, MAX_NAME), username: from?.username ?? null };
}

/** Returns the action in an update; `undefined` if the update does not concern the bot. */
export function readInput({ message, callback_query: query }: Update): BotInput | undefined {
  if (query?.message !== undefined) {
    const { chat, message_id: messageId } = query.message;
    const { id: queryId, data = "" } = query;
    return { type: "tap", chat: chatOf(chat.id, query.from), queryId, messageId, data };
  }
  if (message?.chat.type !== "private" || message.text === undefined) return undefined;
  const chat = chatOf(message.chat.id, message.from);
  const match = /^\/([a-z]{1,32})(?:@\w+)?(?:\s+(\S+))?\s*$/i.exec(message.text);
  if (match === null) return { type: "command", chat, name: "help", argument: "" };
  return { type: "command", chat, name: match[1]!.toLowerCase(), argument: match[2] ?? "" };
}
