/** The bot's messages: HTML for the Bot API, safe for any text. Pure. @module */
import { isPublicAddress } from "../../../../runtime/mod.ts";
import type { NotificationContent } from "../../delivery/types.ts";

/** Maximum lengths of a message's parts. The Bot API accepts 4,096 characters after parsing. */
const MAX_TITLE = 256;
const MAX_BODY = 3000;
const MAX_URL = 500;

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * Shortens text to a number of UTF-16 code units, which the API counts, without splitting a
 * character.
 */
function cut(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  return `${text.slice(0, maximum - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Returns whether the messenger accepts a URL for a button. It rejects local URLs. */
function isForButton(url: URL): boolean {
  if (/^\d|^\[/.test(url.hostname)) return isPublicAddress(url.hostname.replace(/^\[|\]$/g, ""));
  return url.hostname.includes(".") && !/\.(?:localhost|local|internal|test)$/.test(url.hostname);
}

export interface BotMessage {
  readonly text: string;
  readonly parse_mode: "HTML";
  readonly link_preview_options: { readonly is_disabled: true };
  readonly disable_notification: boolean;
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly object[])[] };
}

/** Returns a message with rows of buttons below it. */
export function botMessage(
  text: string,
  more: { readonly quiet?: boolean; readonly buttons?: readonly (readonly object[])[] } = {},
): BotMessage {
  const { quiet = false, buttons = [] } = more;
  return {
    text,
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
    disable_notification: quiet,
    ...(buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: buttons } }),
  };
}

/** Returns the message for a notification, with a button for the notification's action. */
export function notificationMessage(content: NotificationContent): BotMessage {
  const { title, body, priority, category, actionUrl } = content;
  const parsed = actionUrl === null || actionUrl.length > MAX_URL ? null : URL.parse(actionUrl);
  const url = parsed !== null && /^https?:$/.test(parsed.protocol) ? parsed : null;
  const hasButton = url !== null && isForButton(url);
  const lines = [
    `<b>${escapeHtml(cut(title, MAX_TITLE))}</b>`,
    escapeHtml(cut(body, MAX_BODY)),
    ...(url !== null && !hasButton ? [escapeHtml(url.href)] : []),
    `<i>${category} · ${priority.toLowerCase()}</i>`,
  ];
  return botMessage(lines.filter((line) => line !== "").join("\n\n"), {
    quiet: priority === "NORMAL" || priority === "LOW",
    buttons: hasButton ? [[{ text: "Open", url: url.href }]] : [],
  });
}
