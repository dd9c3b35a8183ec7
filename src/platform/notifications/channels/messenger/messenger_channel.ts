/** Delivers notifications through the chat bot. @module */
import { CHANNEL_ROWS } from "../../../../contract/channels.ts";
import * as z from "zod";
import type { Channel, SendOutcome } from "../../delivery/channel.ts";
import { type BotApi, BotApiError } from "./bot_api.ts";
import type { LinkStore } from "./link_store.ts";
import { notificationMessage } from "./message.ts";

/** Returns whether a refusal concerns only one chat, because the person blocked the bot or left. */
function isChatGone({ status, message }: BotApiError): boolean {
  return status === 403 || (status === 400 && /chat not found|user is deactivated/i.test(message));
}

function judgeBotError(error: BotApiError): SendOutcome {
  const { status, message: reason, retryAfterMs } = error;
  if (status === 429) {
    return { type: "retry", reason, retryAfterMs: retryAfterMs ?? 1000, hostTrouble: false };
  }
  if (status === 400) return { type: "failed", reason };
  return { type: "retry", reason, hostTrouble: true };
}

export function createMessengerChannel(
  { api, links }: { readonly api: BotApi; readonly links: LinkStore },
): Channel {
  return {
    name: "messenger",
    digests: false,
    limits: CHANNEL_ROWS.messenger.limits,
    async receivers({ userId }, once) {
      if (userId === null) return [];
      const all = await once(`messenger/${userId}`, () => links.collect(userId));
      return all.filter(({ status }) => status === "active")
        .map(({ id }) => ({ id, host: "messenger" }));
    },
    nameOf: async (receiverId, userId) => (await links.find(userId, receiverId))?.name,
    async send({ receiverId, userId, contents }) {
      const link = await links.find(userId ?? "", receiverId);
      if (link === undefined) return { type: "gone", reason: "The chat is no longer linked" };
      const message = { chat_id: link.chatId, ...notificationMessage(contents[0]!) };
      try {
        const result = z.object({ message_id: z.number() });
        const { message_id: id } = await api.call("sendMessage", message, { result });
        return { type: "sent", detail: `Message ${id}` };
      } catch (error) {
        if (!(error instanceof BotApiError)) throw error;
        if (!isChatGone(error)) return judgeBotError(error);
        await links.setStatus(link, "blocked");
        return { type: "failed", reason: `${error.message}. The chat was turned off` };
      }
    },
  };
}
