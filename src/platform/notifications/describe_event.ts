import type { NotificationContent } from "./delivery/types.ts";
import { type EventData } from "../../contract/event_data.ts";
import { fillFirst, fillWords, sentence } from "../../contract/event_words.ts";
import { type EventKind, type EventName, EVENTS } from "../../contract/events.ts";
/**
 * Describes events: the text of a notification, and the page that it opens. Pure.
 *
 * @module
 */

export const MAX_TITLE = 120;
export const MAX_BODY = 500;

/** Matches control characters, and characters that change the direction of text. */
const UNSEEN = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu;

/**
 * Returns a text as one line of at most `maximum` characters, shortened with an ellipsis if it is
 * longer.
 */
function plainText(text: string, maximum: number): string {
  const line = text.replace(UNSEEN, " ").replace(/ {2,}/g, " ").trim();
  if (line.length <= maximum) return line;
  const cut = line.slice(0, maximum - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/**
 * Returns the plain text of a notification, limited in length. If the event's data is invalid, the
 * text names only the event.
 */
export function describeEvent(
  { event, data, ...facts }:
    & Pick<NotificationContent, "id" | "createdAt" | "workspaceId">
    & { readonly event: EventName; readonly data: EventData },
  { origin }: { readonly origin: string },
): NotificationContent {
  const { category, priority, data: schema, ...words }: EventKind = EVENTS[event];
  const isKnown = schema.safeParse(data).success;
  const wordsOf = (template: string) => isKnown ? fillWords(template, data) : "";
  const name = event.slice(event.indexOf(".") + 1).replaceAll("_", " ");
  return {
    ...facts,
    event,
    category,
    priority,
    title: plainText(wordsOf(words.title), MAX_TITLE) || `${category}: ${name}`,
    body: sentence(plainText(wordsOf(words.body), MAX_BODY - 1)) || event,
    actionUrl: new URL(fillFirst(words.opens, isKnown ? data : {})!, origin).href,
    data,
  };
}
