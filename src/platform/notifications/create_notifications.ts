/** Wires up notifications: preferences, inboxes and delivery channels. @module */
import { SubscriptionStore } from "./channels/push/subscription_store.ts";
import type {
  AccountStore,
  Authenticator,
  RaiseSecurityEvent,
  SignInService,
} from "../accounts/mod.ts";
import type { Capability } from "../core/capability.ts";
import { EventStore } from "../core/events/mod.ts";
import { keys, keysBelow } from "../core/store/mod.ts";
import type { ReportPull } from "../hooks/mod.ts";
import type { Foundation } from "../core/foundation.ts";
import type { Mailer } from "./channels/email/mailer.ts";
import type { BotSettings } from "./channels/messenger/bot_api.ts";
import { LinkStore } from "./channels/messenger/link_store.ts";
import { bindMessengerRoutes } from "./channels/messenger/routes.ts";
import { MessengerSignIn } from "./channels/messenger/sign_in.ts";
import { bindPushRoutes } from "./channels/push/routes.ts";
import { bindWebhookRoutes } from "./channels/webhook/routes.ts";
import { createDelivery, type DeliveryServices } from "./create_delivery.ts";
import { bindForgeRoutes, createForge } from "./channels/forge/create_forge.ts";
import { pullReporter } from "./channels/forge/create_forge.ts";
import { createInboxes, type InboxServices } from "./create_inboxes.ts";
import { PreferenceService } from "./preferences/preference_service.ts";
import { bindNotificationRoutes } from "./routes.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { PersonalScope } from "../core/access/mod.ts";
import type { Router } from "../core/http/mod.ts";
import type { DeadLetters } from "./delivery/dead_letters.ts";
import type { LetterView } from "./delivery/job.ts";
import type { TestSender } from "./delivery/test_sender.ts";

const person = ({ userId, workspaceId }: PersonalScope): LetterView => ({
  type: "user",
  id: userId,
  workspaceId,
});
const workspace = (id: string): LetterView => ({ type: "workspace", id, workspaceId: id });

function bindDeliveryRoutes(router: Router, services: {
  readonly deadLetters: DeadLetters;
  readonly testSender: TestSender;
}): void {
  const { deadLetters, testSender } = services;
  router.self(
    endpoints.listDeadLetters,
    (own, { query }) => deadLetters.list(person(own), query),
  );
  router.self(endpoints.resendDeadLetter, async (own, { params }) => {
    await deadLetters.resend(person(own), params.letter);
    return { resent: 1 };
  });
  router.self(
    endpoints.resendDeadLetters,
    async (own) => await deadLetters.resendAll(person(own)),
  );
  router.self(endpoints.deleteDeadLetter, async (own, { params }) => {
    await deadLetters.discard(person(own), params.letter);
    return undefined;
  });
  router.guarded(
    endpoints.listWorkspaceDeadLetters,
    (caller, { query }) => deadLetters.list(workspace(caller.workspace.id), query),
  );
  router.guarded(endpoints.resendWorkspaceDeadLetter, async (caller, { params }) => {
    await deadLetters.resend(workspace(caller.workspace.id), params.letter);
    return { resent: 1 };
  });
  router.guarded(
    endpoints.resendWorkspaceDeadLetters,
    async (caller) => await deadLetters.resendAll(workspace(caller.workspace.id)),
  );
  router.self(
    endpoints.sendTestNotification,
    (own, { body }) => testSender.send(own, body.channel),
  );
}

export interface Notifications extends DeliveryServices, InboxServices {
  readonly preferences: PreferenceService;
  /** `undefined` if the platform has no bot. */
  readonly messengerSignIn: MessengerSignIn | undefined;
  readonly reportPull: ReportPull;
  readonly capability: Capability;
}

interface NotificationParts {
  readonly accounts: AccountStore;
  readonly authenticator: Authenticator;
  readonly signIn: SignInService;
  readonly raiseSecurityEvent: RaiseSecurityEvent;
  /** Sends email; `undefined` if the platform has no mail server. */
  readonly mailer: Mailer | undefined;
  readonly bot: BotSettings | undefined;
}

export function createNotifications(
  foundation: Foundation,
  parts: NotificationParts,
): Notifications {
  const { kv, events } = foundation;
  const { accounts, bot } = parts;
  const messengerSignIn = bot === undefined ? undefined : new MessengerSignIn({
    ...foundation,
    ...parts,
    links: new LinkStore(kv),
    raise: parts.raiseSecurityEvent,
  });
  const preferences = new PreferenceService(
    kv,
    accounts,
    (userId) => new SubscriptionStore(kv).hasAny(userId),
  );
  const forge = createForge(foundation);
  const delivery = createDelivery({
    ...foundation,
    ...parts,
    preferences,
    forge: forge.channel,
    dialogs: messengerSignIn === undefined ? [] : [messengerSignIn],
  });
  const inboxes = createInboxes({
    ...foundation,
    accounts,
    preferences,
    isMember: async (userId, workspaceId) =>
      await parts.authenticator.memory.workspaceOf(userId, workspaceId) !== undefined,
    delivery: delivery.deliveryQueue,
  });
  return {
    ...delivery,
    ...inboxes,
    preferences,
    messengerSignIn,
    reportPull: pullReporter({ ...foundation, queue: delivery.deliveryQueue }),
    capability: {
      name: "notifications",
      bindRoutes(router) {
        const services = { ...foundation, ...parts, ...delivery, ...inboxes, preferences };
        bindNotificationRoutes(router, services);
        bindDeliveryRoutes(router, delivery);
        bindWebhookRoutes(router, delivery.webhooks);
        bindForgeRoutes(router, { kv, reports: forge.reports });
        bindPushRoutes(router, services);
        bindMessengerRoutes(router, services);
      },
      async recover() {
        await delivery.recoverMails();
        inboxes.startNotifications();
      },
      async storeChanged(changed) {
        preferences.follow(changed);
        if (EventStore.hasPending(changed)) events.look();
        delivery.deliveryQueue.follow(changed);
        await delivery.followMails(changed);
        await inboxes.followInboxes(changed);
      },
      rereadStore() {
        preferences.forgetAll();
        events.look();
        inboxes.rereadInboxes();
        return Promise.resolve();
      },
      projectKeys: (projectId) => keysBelow(kv, keys.forgeReports(projectId)),
      workspaceUsage: async (workspaceId) => [await delivery.webhooks.usage(workspaceId)],
      start: () => delivery.startDelivery(),
      async close() {
        await delivery.closeDelivery();
        await events.close();
        await inboxes.inboxes.close();
      },
    },
  };
}
