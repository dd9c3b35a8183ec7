/**
 * Everything by which notifications leave the platform, put together once: the
 * queue, its channels, and what people set up for them.
 *
 * @module
 */
import type { Clock, Random } from "../../lib/clock.ts";
import type { OutboundFetch } from "../../runtime/mod.ts";
import type { AccountStore } from "../accounts/account_store.ts";
import type { SecretBox } from "../secrets/secret_box.ts";
import { createEmailChannel } from "./channels/email/email_channel.ts";
import type { Mailer } from "./channels/email/mailer.ts";
import { sealedSetting } from "./channels/sealed_settings.ts";
import type { Channel } from "./delivery/channel.ts";
import { DeadLetters } from "./delivery/dead_letters.ts";
import { createDeliveryQueue } from "./delivery/delivery_queue.ts";
import { TestSender } from "./delivery/test_sender.ts";
import { Buffer } from "node:buffer";

export interface DeliveryOptions {
  readonly kv: Deno.Kv;
  readonly box: SecretBox;
  readonly accounts: AccountStore;
  /** Reaches other machines, under guard. */
  readonly outbound: OutboundFetch;
  readonly publicOrigin: string;
  /** Where the platform sends mail. */
  readonly mailer: Mailer | undefined;
  readonly now: Clock;
  readonly random: Random;
  onTrouble(message: string): void;
}

export type DeliveryServices = ReturnType<typeof createDelivery>;

/** Builds queue and channels; nothing is sent before the queue is started. */
export function createDelivery(options: DeliveryOptions) {
  const { kv, box, accounts, publicOrigin, mailer, now, random, onTrouble } = options;
  let unsubscribeKeyReading: Promise<string> | undefined;
  const unsubscribeKey = () =>
    unsubscribeKeyReading ??= sealedSetting(
      { kv, box },
      "unsubscribe",
      () => Buffer.from(random(32)).toString("base64url"),
    );
  const channels: Channel[] = [];
  if (mailer !== undefined) {
    channels.push(createEmailChannel({ mailer, accounts, publicOrigin, unsubscribeKey }));
  }
  const deliveryQueue = createDeliveryQueue({ kv, channels, now, random, onTrouble });
  return {
    deliveryQueue,
    unsubscribeKey,
    deadLetters: new DeadLetters(kv, deliveryQueue, now),
    testSender: new TestSender({
      channels,
      publicOrigin,
      now,
      random,
      nameOf: async (_, target) => (await accounts.findUser(target))?.email ?? target,
    }),
  };
}
