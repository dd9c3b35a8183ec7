/**
 * Every page of the interface, bound to its path.
 *
 * @module
 */
import type { Router } from "../platform/core/http/mod.ts";
import { type AccountPageServices, bindAccountPages } from "./account_routes.ts";
import { bindChannelPages, type ChannelPageServices } from "./channel_routes.ts";
import { bindDeploymentPages, type DeploymentPageServices } from "./deployment_routes.ts";
import { bindDevicePages, type DevicePageServices } from "./device_routes.ts";
import { bindEmailPages, type EmailPageServices } from "./email_routes.ts";
import { showIcon, showStylesheet, STYLESHEET_PATH } from "./document.tsx";
import { bindEntryPages, type EntryPageServices } from "./entry_routes.ts";
import { bindInboxPages, type InboxPageServices } from "./inbox_routes.ts";
import { landingPage } from "./landing.tsx";
import { bindMailLinkPages, type MailLinkPageServices } from "./mail_link_routes.ts";
import type { MessengerSignIn } from "../platform/notifications/mod.ts";
import { bindMessengerEntry } from "./messenger_entry_routes.ts";
import { PageBinder } from "./page_binder.tsx";
import { PageSession, type PageSessionServices } from "./page_session.ts";
import { bindReferencePages } from "./reference_routes.ts";
import { bindWorkspacePages, type WorkspacePageServices } from "./workspace_routes.ts";

/** Binds the pages of a platform at `url`. */
export function bindPages(
  router: Router,
  services:
    & PageSessionServices
    & EntryPageServices
    & MailLinkPageServices
    & DevicePageServices
    & AccountPageServices
    & EmailPageServices
    & WorkspacePageServices
    & ChannelPageServices
    & InboxPageServices
    & DeploymentPageServices
    & { readonly messengerSignIn: MessengerSignIn | undefined },
  platform: {
    readonly url: string;
    readonly version: string;
  },
): void {
  const { url, version } = platform;
  const bind = new PageBinder(router, new PageSession(services));
  router.page("GET", STYLESHEET_PATH, showStylesheet);
  router.page("GET", "/assets/mark.svg", showIcon);
  bind.open(
    "GET",
    "/",
    ({ person }) => landingPage({ url, version, isSignedIn: person !== undefined }),
  );
  const { bot, messengerSignIn, publicOrigin } = services;
  const hasMessenger = bot !== undefined && messengerSignIn !== undefined;
  bindEntryPages(bind, services, { hasMessenger });
  if (hasMessenger) bindMessengerEntry(bind, { bot, messengerSignIn, publicOrigin });
  bindReferencePages(bind, platform);
  bindMailLinkPages(bind, services);
  bindDevicePages(bind, services);
  bindAccountPages(bind, services);
  bindEmailPages(bind, services);
  bindWorkspacePages(bind, services);
  bindDeploymentPages(bind, services);
  bindChannelPages(bind, router, services);
  bindInboxPages(bind, router, services);
}
