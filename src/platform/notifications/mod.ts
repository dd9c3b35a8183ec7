/** Notifications: inboxes, and messages by email, push, messenger and webhook. @module */
export { resealAccountMails } from "./channels/email/account_mails.ts";
export { UNSUBSCRIBE_PATH } from "./channels/email/email_channel.ts";
export { createMailer, type Mailer } from "./channels/email/mailer.ts";
export { readUnsubscription, type Unsubscription } from "./channels/email/unsubscribe_token.ts";
export { Bot } from "./channels/messenger/bot.ts";
export {
  makeMessengerLink,
  messengerLinksOf,
  type MessengerServices,
  unlinkMessenger,
} from "./channels/messenger/routes.ts";
export { MessengerSignIn } from "./channels/messenger/sign_in.ts";
export { ATTEMPT_MS } from "./channels/messenger/sign_in_attempts.ts";
export { subscriptionsOf } from "./channels/push/routes.ts";
export { SubscriptionStore } from "./channels/push/subscription_store.ts";
export { WebhookStore } from "./channels/webhook/webhook_store.ts";
export { judgePostError, postOut } from "./channels/post_out.ts";
export { createNotifications, type Notifications } from "./create_notifications.ts";
export { inboxViewOf } from "./inbox/inbox_view.ts";
export { NotificationService } from "./notification_service.ts";
export { PreferenceService } from "./preferences/preference_service.ts";
