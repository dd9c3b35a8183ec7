/** Adds notifications to an inbox in batches, each of which fits into one commit. Pure. @module */
import type { NotificationContent } from "../delivery/types.ts";
import type { InboxHead, InboxIndex, NumberedPage } from "./inbox_index.ts";
import { InboxPage } from "./inbox_page.ts";

/** The limits of one batch. A commit to Deno KV allows 1000 changes and 800 KiB. */
const MAX_ROWS = 400;
const MAX_CHARACTERS = 200_000;

/** Returns as many of the first contents as fit into one commit, but at least one. */
export function nextBatch(contents: readonly NotificationContent[]): NotificationContent[] {
  let characters = 0;
  const end = contents.slice(0, MAX_ROWS).findIndex(({ title, body, data }) => {
    characters += title.length + body.length + JSON.stringify(data).length;
    return characters > MAX_CHARACTERS;
  });
  return contents.slice(0, end === -1 ? MAX_ROWS : Math.max(end, 1));
}

/** Adds notifications, oldest first. Returns the inbox's new head and the changed pages. */
export function appendNotifications(
  { head, pages: before }: InboxIndex,
  added: readonly NotificationContent[],
): { readonly head: InboxHead; readonly pages: readonly NumberedPage[] } {
  const places = [...head.places];
  const pages: NumberedPage[] = [];
  const last = before.at(-1);
  for (const { id, category, priority, workspaceId } of added) {
    let current = pages.at(-1) ?? last;
    if (current === undefined || current.page.isFull) {
      const number = current === undefined ? 0 : current.number + 1;
      current = { number, page: new InboxPage(), removedIds: [], behind: false };
      pages.push(current);
    } else if (pages.length === 0) {
      current = { ...current, page: current.page.copy() };
      pages.push(current);
    }
    let place = places.indexOf(workspaceId ?? "");
    if (place === -1) place = places.push(workspaceId ?? "") - 1;
    current.page.append({ id, category, priority, place });
  }
  return { head: { ...head, places, lastId: added.at(-1)!.id }, pages };
}
