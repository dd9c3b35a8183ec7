/**
 * The messenger: which chats belong to an account.
 *
 * @module
 */
import { z } from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Messenger";

/** Life of the code in a link, in seconds. */
export const MESSENGER_CODE_SECONDS = 600;
/** Chats that one account may have. */
export const MAX_MESSENGER_LINKS = 5;

export const messengerLink = z.object({
  id: uuid,
  /** Name of the person, as the messenger tells it. */
  name: z.string(),
  /** Without the leading @; null where there is none. */
  username: z.string().nullable(),
  /** `stopped` by /stop in the chat; `blocked` where the messenger lets the bot write no more. */
  status: z.enum(["active", "stopped", "blocked"]),
  createdAt: timestamp,
}).meta({ id: "MessengerLink" });
export type MessengerLink = z.infer<typeof messengerLink>;

export const createMessengerLink = endpoint({
  method: "POST",
  path: "/v1/account/messenger/link",
  summary: "Make a one-time address that opens the chat bot and links that chat to the account",
  tag,
  access: "account",
  response: z.object({ url: z.url(), expiresAt: timestamp }),
  status: 201,
});

export const listMessengerLinks = endpoint({
  method: "GET",
  path: "/v1/account/messenger",
  summary: "List the account's chats",
  tag,
  access: "account",
  response: z.object({
    /** Name of the bot, without @; null where the platform has none. */
    bot: z.string().nullable(),
    items: z.array(messengerLink),
  }),
});

export const deleteMessengerLink = endpoint({
  method: "DELETE",
  path: "/v1/account/messenger/{link}",
  summary: "Unlink a chat",
  tag,
  access: "account",
  params: z.object({ link: uuid }),
  status: 204,
});
