/** Wires up delivery: the queue, its channels, and people's settings for them. @module */
import { Buffer } from "node:buffer";
import type { Clock, Random } from "../../lib/clock.ts";
import { rememberRead } from "../../lib/remember_read.ts";
import type { OutboundFetch } from "../../runtime/mod.ts";
import { type AccountStore, FIRST_WORKSPACE, type SendAccountMail } from "../accounts/mod.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import { sealedSetting, type SecretBox } from "../core/secrets/mod.ts";
import { AccountMails } from "./channels/email/account_mails.ts";
import { createEmailChannel } from "./channels/email/email_channel.ts";
import type { Mailer } from "./channels/email/mailer.ts";
import { Bot, type BotDialog } from "./channels/messenger/bot.ts";
import { BotApi, type BotSettings } from "./channels/messenger/bot_api.ts";
import { BotPoller } from "./channels/messenger/bot_poller.ts";
import { LinkStore } from "./channels/messenger/link_store.ts";
import { createMessengerChannel } from "./channels/messenger/messenger_channel.ts";
import { createPushChannel } from "./channels/push/push_channel.ts";
import { SubscriptionStore } from "./channels/push/subscription_store.ts";
import { vapidKeyReader, type VapidKeys } from "./channels/push/vapid.ts";
import { createWebhookChannel } from "./channels/webhook/webhook_channel.ts";
import { WebhookService } from "./channels/webhook/webhook_service.ts";
import { WebhookStore } from "./channels/webhook/webhook_store.ts";
import type { Channel } from "./delivery/channel.ts";
import { DeadLetters } from "./delivery/dead_letters.ts";
import { createDeliveryQueue, type RunningDeliveryQueue } from "./delivery/delivery_queue.ts";
import { TestSender } from "./delivery/test_sender.ts";
import type { PreferenceService } from "./preferences/preference_service.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";
import { isPersonal } from "../../contract/channels.ts";
import { concerns, wantedChannels } from "./preferences/wanted_channels.ts";
import type { ReviewDelivery } from "./delivery/types.ts";

/**
 * Creates the check that runs just before a message is sent, because preferences may have changed,
 * or quiet hours may have started.
 */
function createReview(
  { preferences, now }: { readonly preferences: PreferenceService; readonly now: Clock },
): ReviewDelivery {
  return async ({ channel, userId, workspaceId }) => {
    // Workspaces have neither preferences nor quiet hours.
    if (userId === null || !isPersonal(channel)) return () => true;
    const { categories } = await preferences.of({ userId, workspaceId });
    return (content) => {
      const wanted = categories.find(({ category }) => category === content.category)!;
      return concerns(userId, content, wanted) &&
        wantedChannels(content, wanted, now()).includes(channel);
    };
  };
}

interface DeliveryOptions {
  readonly kv: RecordStore;
  /** The nodes that send; by default, only this one. */
  readonly nodes?: Nodes;
  readonly box: SecretBox;
  readonly accounts: AccountStore;
  readonly preferences: PreferenceService;
  /** Sends requests to other machines. Rejects addresses that are not allowed. */
  readonly outbound: OutboundFetch;
  /** Whether `outbound` also reaches private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  readonly publicOrigin: string;
  /** Sends email; `undefined` if the platform has no mail server. */
  readonly mailer: Mailer | undefined;
  readonly bot: BotSettings | undefined;
  /** Reports deployments to forges. */
  readonly forge?: Channel;
  /** The bot's dialogs, except the one that links a chat. */
  readonly dialogs: readonly BotDialog[];
  readonly now: Clock;
  readonly random: Random;
  onTrouble(message: string): void;
}

export interface DeliveryServices {
  readonly deliveryQueue: RunningDeliveryQueue;
  readonly sendAccountMail: SendAccountMail;
  /** Explains to the operator why emails are not delivered; `undefined` if they are. */
  mailProblem(): string | undefined;
  /** Loads the emails that an earlier run of the platform abandoned. */
  recoverMails(): Promise<void>;
  /** Reloads the emails that another node changed. */
  followMails(changed: readonly RecordKey[]): Promise<void>;
  unsubscribeKey(): Promise<string>;
  vapidKeys(): Promise<VapidKeys>;
  readonly pushSubscriptions: SubscriptionStore;
  readonly messengerLinks: LinkStore;
  /** `undefined` if the platform has no bot. */
  readonly bot: Bot | undefined;
  readonly webhooks: WebhookService;
  readonly deadLetters: DeadLetters;
  readonly testSender: TestSender;
  /** Starts sending messages and polling the bot. */
  startDelivery(): Promise<void>;
  /** Stops after the current work. */
  closeDelivery(): Promise<void>;
}

function vapidSubject({ mailer, publicOrigin }: DeliveryOptions): string {
  if (mailer !== undefined) return `mailto:${mailer.sender.address}`;
  const { protocol, hostname } = new URL(publicOrigin);
  return protocol === "https:" ? publicOrigin : `mailto:svc@${hostname}`;
}

/** Creates the bot, its poller and its channel. Returns `undefined` if the platform has no bot. */
function createMessenger(options: DeliveryOptions, links: LinkStore) {
  const { kv, nodes, bot: settings, accounts, publicOrigin, now, random, onTrouble } = options;
  if (settings === undefined) return undefined;
  const api = new BotApi(settings);
  const bot = new Bot({
    api,
    links,
    publicOrigin,
    now,
    random,
    dialogs: options.dialogs,
    accountName: async (userId) => (await accounts.users.find(userId))?.name,
    name: settings.name,
  });
  const poller = new BotPoller({
    kv,
    nodes,
    api,
    handle: (update, lease) => bot.handle(update, lease),
    onTrouble,
  });
  return { bot, poller, channel: createMessengerChannel({ api, links }) };
}

/**
 * Creates the queue and the channels. Nothing is sent or polled until `startDelivery()` is called.
 */
export function createDelivery(options: DeliveryOptions): DeliveryServices {
  const { kv, box, accounts, outbound, publicOrigin, mailer, now, random, onTrouble } = options;
  const makeKey = () => Buffer.from(random(32)).toString("base64url");
  const unsubscribeKey = rememberRead(() => sealedSetting({ kv, box }, "unsubscribe", makeKey));
  const [links, subscriptions, webhookStore] = [
    new LinkStore(kv),
    new SubscriptionStore(kv),
    new WebhookStore(kv),
  ];
  const vapidKeys = vapidKeyReader({ kv, box });
  const accountMails = new AccountMails({
    kv,
    box,
    now,
    random,
    onTrouble,
    firstWorkspace: () => accounts.findWorkspaceId(FIRST_WORKSPACE),
  });
  const messenger = createMessenger(options, links);
  const webhookParts = { store: webhookStore, box, outbound, now, random };
  const subject = vapidSubject(options);
  const channels: Channel[] = [
    createPushChannel({ store: subscriptions, outbound, vapidKeys, subject, now }),
    createWebhookChannel(webhookParts),
    ...(options.forge === undefined ? [] : [options.forge]),
    ...(messenger === undefined ? [] : [messenger.channel]),
    ...(mailer === undefined
      ? []
      : [createEmailChannel({ mailer, accountMails, accounts, publicOrigin, unsubscribeKey })]),
  ];
  const review = createReview({ preferences: options.preferences, now });
  const deliveryQueue = createDeliveryQueue({
    kv,
    channels,
    review,
    now,
    random,
    onTrouble,
    nodes: options.nodes?.isShared === true ? options.nodes : undefined,
  });
  return {
    deliveryQueue,
    sendAccountMail: accountMails.sender(() => deliveryQueue),
    mailProblem: () => accountMails.problem,
    recoverMails: () => accountMails.recover(),
    followMails: (changed) => accountMails.follow(changed),
    unsubscribeKey,
    vapidKeys,
    pushSubscriptions: subscriptions,
    messengerLinks: links,
    bot: messenger?.bot,
    webhooks: new WebhookService({
      ...webhookParts,
      queue: deliveryQueue,
      publicOrigin,
      allowPrivate: options.allowPrivate,
    }),
    deadLetters: new DeadLetters(kv, deliveryQueue, now),
    testSender: new TestSender({ channels, publicOrigin, now, random }),
    async startDelivery(): Promise<void> {
      await deliveryQueue.start();
      messenger?.poller.start();
    },
    async closeDelivery(): Promise<void> {
      await messenger?.poller.close();
      await deliveryQueue.close();
    },
  };
}
