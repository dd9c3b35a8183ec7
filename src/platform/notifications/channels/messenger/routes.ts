/** `/v1/account/messenger`. @module */
import { CHANNEL_ROWS } from "../../../../contract/channels.ts";
import { Buffer } from "node:buffer";
import { endpoints } from "../../../../contract/endpoints.ts";
import type { MessengerLink } from "../../../../contract/messenger.ts";
import type { Clock, Random } from "../../../../lib/clock.ts";
import type { CallerUser } from "../../../core/access/mod.ts";
import { Failure, type Router } from "../../../core/http/mod.ts";
import type { Bot } from "./bot.ts";
import { BotApiError } from "./bot_api.ts";
import type { LinkRecord, LinkStore } from "./link_store.ts";

const toWire = ({ id, name, username, status, createdAt }: LinkRecord): MessengerLink => ({
  id,
  name,
  username,
  status,
  createdAt: new Date(createdAt).toISOString(),
});

export interface MessengerServices {
  /** `undefined` if the platform has no bot. */
  readonly bot: Bot | undefined;
  readonly messengerLinks: LinkStore;
  readonly now: Clock;
  readonly random: Random;
}

/** Creates a one-time URL that links a chat. @throws {Failure} if there is no bot */
export async function makeMessengerLink(
  { bot, messengerLinks, now, random }: MessengerServices,
  userId: string,
): Promise<{ url: string; expiresAt: string }> {
  if (bot === undefined) {
    throw new Failure("conflict", CHANNEL_ROWS.messenger.missing);
  }
  const code = Buffer.from(random(24)).toString("base64url");
  try {
    const url = await bot.deepLink(code);
    const expiresAt = await messengerLinks.addCode(code, userId, now());
    return { url, expiresAt: new Date(expiresAt).toISOString() };
  } catch (error) {
    if (!(error instanceof BotApiError)) throw error;
    throw new Failure("conflict", "Cannot reach the messenger. Try again later", {
      cause: error,
    });
  }
}

export async function messengerLinksOf(
  { messengerLinks }: Pick<MessengerServices, "messengerLinks">,
  userId: string,
): Promise<MessengerLink[]> {
  return (await messengerLinks.collect(userId)).map(toWire);
}

/** Unlinks a chat. @throws {Failure} if the chat is the only way to sign in */
export async function unlinkMessenger(
  { messengerLinks }: Pick<MessengerServices, "messengerLinks">,
  { user, id }: { readonly user: CallerUser; readonly id: string },
): Promise<void> {
  const links = await messengerLinks.collect(user.id);
  if (!links.some((link) => link.id === id)) {
    throw new Failure("not_found", `Chat ${id} does not exist`);
  }
  if (user.email === null && links.length === 1) {
    throw new Failure(
      "conflict",
      "Cannot unlink the chat: it is the account's only way to sign in. Add an email address first",
    );
  }
  await messengerLinks.remove([user.id, id]);
}

export function bindMessengerRoutes(router: Router, services: MessengerServices): void {
  const { bot } = services;
  router.personal(
    endpoints.createMessengerLink,
    ({ user }) => makeMessengerLink(services, user.id),
  );
  router.personal(endpoints.listMessengerLinks, async ({ user }) => ({
    bot: await bot?.name().catch(() => null) ?? null,
    items: await messengerLinksOf(services, user.id),
  }));
  router.personal(endpoints.deleteMessengerLink, async ({ user }, { params }) => {
    await unlinkMessenger(services, { user, id: params.link });
    return undefined;
  });
}
