/**
 * A platform's notification delivery, with its own store, for tests that use real servers and set
 * the clock.
 *
 * @module
 */
import { DELIVERY_CHANNELS } from "../../contract/channels.ts";
import { SubscriptionStore } from "./channels/push/subscription_store.ts";
import { systemRandom } from "../../lib/clock.ts";
import { createOutboundFetch } from "../../runtime/mod.ts";
import { accountKeys } from "../accounts/account_keys.ts";
import type { SelfCaller } from "../core/access/caller.ts";
import { AccountStore } from "../accounts/account_store.ts";
import { openKeyRing } from "../core/secrets/key_ring.ts";
import { SecretBox } from "../core/secrets/secret_box.ts";
import { keys } from "../core/store/keys.ts";
import { createMailer } from "./channels/email/mailer.ts";
import { createDelivery } from "./create_delivery.ts";
import type { DeliveryRequest } from "./delivery/types.ts";
import { PreferenceService } from "./preferences/preference_service.ts";
import { DenoStore } from "../../store/mod.ts";

export const START = Date.UTC(2026, 0, 1, 12);
export const USER = "01900000-0000-7000-8000-00000000000a";
export const WORKSPACE = "01900000-0000-7000-8000-00000000000b";

/** A caller: a person who has signed in with a browser. */
export const OWN: SelfCaller = {
  userId: USER,
  workspaceId: null,
  credential: {
    type: "session",
    id: "01900000-0000-7000-8000-00000000000c",
    name: "Firefox",
    prefix: null,
    createdAt: new Date(START).toISOString(),
  },
  hash: "",
};
const CHANNELS = DELIVERY_CHANNELS.filter((name) => name !== "forge");

/** Raises critical events for each channel, named `<prefix> <number>`. */
export const requests = (prefix: string, count: number): DeliveryRequest[] =>
  CHANNELS.flatMap((channel) =>
    Array.from({ length: count }, (_, index) => ({
      key: `${prefix} ${index}:${channel}`,
      channel,
      userId: channel === "webhook" ? null : USER,
      content: {
        id: crypto.randomUUID(),
        event: "deployment.failed" as const,
        category: "Deployment" as const,
        priority: "CRITICAL" as const,
        title: `${prefix} ${index}`,
        body: "It failed",
        actionUrl: "https://svc.example/",
        createdAt: START,
        workspaceId: WORKSPACE,
        data: {},
      },
    }))
  );

/** Runs a test. The test fails on any delivery problem. */
export async function withDelivery(
  settings: {
    readonly smtpUrl: string;
    readonly bot: { readonly token: string; readonly api: string };
  },
  test: (
    parts: ReturnType<typeof createDelivery> & {
      readonly preferences: PreferenceService;
      readonly clock: { at: number };
    },
  ) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-outage-" });
  const kv = await DenoStore.open(`${folder}/kv.sqlite3`);
  const clock = { at: START };
  const troubles: string[] = [];
  const outbound = createOutboundFetch({ allowPrivate: true });
  const mailer = createMailer({ smtpUrl: settings.smtpUrl, from: "svc@svc.example" });
  const user = { id: USER, name: "Ada", email: "ada@example.com", createdAt: START };
  await kv.set(keys.user(USER), { ...user, signUpMethod: "email" });
  await kv.set(accountKeys.session(USER, OWN.credential.id), {});
  const accounts = new AccountStore(kv);
  const preferences = new PreferenceService(
    kv,
    accounts,
    (userId) => new SubscriptionStore(kv).hasAny(userId),
  );
  const delivery = createDelivery({
    kv,
    preferences,
    box: new SecretBox(await openKeyRing(`${folder}/keys.json`, systemRandom), systemRandom),
    accounts,
    outbound: outbound.fetch,
    allowPrivate: true,
    publicOrigin: "https://svc.example",
    mailer,
    bot: settings.bot,
    dialogs: [],
    now: () => clock.at,
    random: systemRandom,
    onTrouble: (message) => troubles.push(message),
  });
  try {
    await test({ ...delivery, preferences, clock });
    if (troubles.length > 0) throw new Error(troubles.join("\n"));
  } finally {
    await delivery.closeDelivery();
    outbound.close();
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}
