/** The messenger: the chats that are linked to an account. @module */
import * as z from "zod";
import { timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Messenger";

/** Lifetime of the code in a link, in seconds. */
export const MESSENGER_CODE_SECONDS = 600;
/** Maximum number of chats per account. */
export const MAX_MESSENGER_LINKS = 5;

const messengerLink = z.object({
  id: uuid.describe("ID of the link"),
  name: z.string().describe("Name of the person in the messenger"),
  username: z.string().nullable().describe("Username without the @; null if there is none"),
  status: z.enum(["active", "stopped", "blocked"]).describe(
    "`stopped` by /stop in the chat; `blocked` if the user blocked the bot",
  ),
  createdAt: timestamp.describe("When the link was created"),
}).meta({ id: "MessengerLink" });
export type MessengerLink = z.infer<typeof messengerLink>;

export const createMessengerLink = endpoint({
  method: "POST",
  path: "/v1/account/messenger/link",
  summary: "Create a one-time URL that opens the chat bot and links the chat to the account",
  tag,
  access: "account",
  response: z.object({
    url: z.url().meta({
      description: "One-time URL that opens the chat bot and links the chat",
      example: "https://t.me/svc_bot?start=kX2v9Qm4",
    }),
    expiresAt: timestamp.describe("When the URL expires"),
  }),
  status: 201,
});

export const listMessengerLinks = endpoint({
  method: "GET",
  path: "/v1/account/messenger",
  summary: "List the account's chats",
  tag,
  access: "account",
  response: z.object({
    bot: z.string().nullable().describe(
      "Name of the bot without @; null if the platform has none",
    ),
    items: z.array(messengerLink).describe("The account's chats"),
  }),
});

export const deleteMessengerLink = endpoint({
  method: "DELETE",
  path: "/v1/account/messenger/{link}",
  summary: "Unlink a chat",
  tag,
  access: "account",
  params: z.object({ link: uuid.describe("ID of the link") }),
  status: 204,
});
