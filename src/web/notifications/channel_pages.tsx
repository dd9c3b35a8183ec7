/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The page for a person's notification channels. */
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
import { goTo, PAGE_POLICY } from "../layout/document.tsx";
import { LINK_SCRIPT_PATH, linkMark, showLinkScript } from "./link_script.ts";
import {
  PUSH_PAGE_PATH,
  PUSH_WORKER_PATH,
  showPushScript,
  showPushWorker,
} from "./push_scripts.ts";
import { MESSENGER_CODE_SECONDS, type MessengerLink } from "../../contract/messenger.ts";
import type { PushSubscription } from "../../contract/push.ts";
import { Card, EndButton, Form, Moment, Qr } from "../layout/pieces.tsx";
import type { PageContext } from "../layout/page_context.ts";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";

/** The content security policy for the only page with a service worker, which web push needs. */
const POLICY = `${PAGE_POLICY}; script-src 'self'; worker-src 'self'; connect-src 'self'`;

const STATUS: Readonly<Record<MessengerLink["status"], string>> = {
  active: "linked",
  stopped: "stopped by /stop in the chat",
  blocked: "blocked: the bot can no longer send messages to the chat",
};

function Chats({ csrf, links, hasBot }: {
  readonly csrf: string;
  readonly links: readonly MessengerLink[];
  readonly hasBot: boolean;
}) {
  return (
    <Card title="Messenger" id="messenger" lead="Get notifications in Telegram.">
      {links.length === 0 ? null : (
        <ul class="items">
          {links.map(({ id, name, username, status, createdAt }) => (
            <li key={id}>
              <div class="what">
                <span>{username === null ? name : `${name} (@${username})`}</span>
                <span>
                  {STATUS[status]}, since <Moment at={createdAt} />
                </span>
              </div>
              <EndButton
                action="/account/channels/unlink"
                csrf={csrf}
                word="Unlink"
                what={name}
                hidden={{ id }}
                asks={false}
              />
            </li>
          ))}
        </ul>
      )}
      <div class="body">
        {hasBot
          ? (
            <Form action="/account/channels/link" csrf={csrf}>
              <div>
                <button type="submit">Link a chat</button>
              </div>
            </Form>
          )
          : <p class="soft">The operator of this platform has not set up a chat bot.</p>}
      </div>
    </Card>
  );
}

function Browsers({ csrf, subscriptions }: {
  readonly csrf: string;
  readonly subscriptions: readonly PushSubscription[];
}) {
  return (
    <Card
      title="Browsers"
      id="push"
      lead="Notifications from your browser, even when svc isn't open."
    >
      <div class="body">
        <p id="push-state" role="status">
          <noscript>This needs JavaScript.</noscript>
        </p>
        <div>
          <button id="push-on" type="button" hidden>Turn on in this browser</button>
          <button id="push-off" type="button" class="quiet" hidden>Turn off in this browser</button>
        </div>
      </div>
      <ul class="items" id="subscriptions" hidden={subscriptions.length === 0}>
        {subscriptions.map(({ id, name, service, createdAt }) => (
          <li key={id}>
            <div class="what">
              <span>{name}</span>
              <span>
                by {service}, since <Moment at={createdAt} />
              </span>
            </div>
            <EndButton
              action="/account/channels/unsubscribe"
              csrf={csrf}
              word="Remove"
              what={name}
              hidden={{ id }}
              asks={false}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}

function channelsPage(context: PageContext, shown: {
  readonly links: readonly MessengerLink[];
  readonly hasBot: boolean;
  readonly subscriptions: readonly PushSubscription[];
}): Response {
  const { csrf } = context;
  return showSettings(
    <SettingsFrame title="Channels" lead="Where you get notifications." context={context}>
      <Chats csrf={csrf} links={shown.links} hasBot={shown.hasBot} />
      <Browsers csrf={csrf} subscriptions={shown.subscriptions} />
      <script src={PUSH_PAGE_PATH} defer></script>
    </SettingsFrame>,
    { title: "Channels", headers: { "content-security-policy": POLICY } },
  );
}

function linkPage(context: PageContext, { url, known }: {
  readonly url: string;
  /** Lists the chats that are already linked. */
  readonly known: readonly MessengerLink[];
}): Response {
  return showSettings(
    <SettingsFrame
      title="Link a chat"
      lead="Open the bot and press Start. The link works once and expires after ten minutes."
      context={context}
    >
      <Card title="Telegram" id="open">
        <div class="body">
          <p
            id="link-state"
            role="status"
            data-known={known.map(linkMark).join("\n")}
            data-seconds={MESSENGER_CODE_SECONDS}
          >
          </p>
          <div id="link-ways">
            <Qr text={url} label="QR code for the link" />
            <div>
              <a class="button" href={url} rel="noreferrer">Open Telegram</a>
            </div>
          </div>
          <p>
            <a href="/account/channels">Done</a>
          </p>
        </div>
      </Card>
      <script src={LINK_SCRIPT_PATH} defer></script>
    </SettingsFrame>,
    { title: "Link a chat" },
  );
}

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
