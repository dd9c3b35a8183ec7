/**
 * The routes of the page of channels and of the scripts of web push.
 *
 * @module
 */
import * as z from "zod";
import type { Router } from "../../platform/core/http/mod.ts";
import {
  makeMessengerLink,
  messengerLinksOf,
  type MessengerServices,
  subscriptionsOf,
  type SubscriptionStore,
  unlinkMessenger,
} from "../../platform/notifications/mod.ts";
import { selfCallerOf } from "../../platform/core/access/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { pageContextOf, WHOLE_LIST } from "../visit/page_context.ts";
import { goTo } from "../layout/document.tsx";
import { channelsPage, linkPage } from "./channel_pages.tsx";
import { LINK_SCRIPT_PATH, showLinkScript } from "./link_script.ts";
import {
  PUSH_PAGE_PATH,
  PUSH_WORKER_PATH,
  showPushScript,
  showPushWorker,
} from "./push_scripts.ts";

export interface ChannelPageServices extends MessengerServices {
  readonly workspaces: WorkspaceService;
  readonly pushSubscriptions: SubscriptionStore;
}

const id = z.object({ id: z.string().max(64) });

export function bindChannelPages(
  bind: PageBinder,
  router: Router,
  channels: ChannelPageServices,
): void {
  const { workspaces } = channels;
  router.page("GET", PUSH_WORKER_PATH, showPushWorker);
  router.page("GET", PUSH_PAGE_PATH, showPushScript);
  router.page("GET", LINK_SCRIPT_PATH, showLinkScript);

  bind.personal("GET", "/account/channels", async (visit) => {
    const { user } = visit.person;
    const [context, links, subscriptions] = await Promise.all([
      pageContextOf(visit, workspaces),
      messengerLinksOf(channels, user.id),
      subscriptionsOf(channels, selfCallerOf(visit.person), WHOLE_LIST),
    ]);
    const hasBot = channels.bot !== undefined;
    return channelsPage(context, { links, hasBot, subscriptions: subscriptions.items });
  });
  bind.personal("POST", "/account/channels/link", async (visit) => {
    const { id } = visit.person.user;
    const known = await messengerLinksOf(channels, id);
    const { url } = await makeMessengerLink(channels, id);
    const context = await pageContextOf({ ...visit, path: "/account/channels" }, workspaces);
    return linkPage(context, { url, known });
  });
  bind.personal("POST", "/account/channels/unlink", async ({ person, fields }) => {
    await unlinkMessenger(channels, { user: person.user, id: id.parse(fields).id });
    return goTo("/account/channels?done=chat-unlinked");
  });
  bind.personal("POST", "/account/channels/unsubscribe", async ({ person, fields }) => {
    await channels.pushSubscriptions.removeFrom(selfCallerOf(person), id.parse(fields).id);
    return goTo("/account/channels?done=browser-removed");
  });
}
