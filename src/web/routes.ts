/**
 * Every page of the interface, bound to its path.
 *
 * @module
 */
import type { Router } from "../platform/core/http/mod.ts";
import {
  type AccountPageServices,
  bindAccountPages,
  bindEmailPages,
  type EmailPageServices,
} from "./account/mod.ts";
import {
  bindChannelPages,
  bindInboxPages,
  type ChannelPageServices,
  type InboxPageServices,
} from "./notifications/mod.ts";
import { bindConsentPages, type ConsentPageServices } from "./consent/mod.ts";
import { bindDocs } from "./docs/mod.ts";
import { bindDeploymentPages, type DeploymentPageServices } from "./deployment/mod.ts";
import { bindDevicePages, type DevicePageServices } from "./device/mod.ts";
import {
  BOARD_SCRIPT_PATH,
  HTMX_PATH,
  showBoardScript,
  showHtmx,
  showIcon,
  showStylesheet,
  STYLESHEET_PATH,
} from "./layout/mod.ts";
import {
  bindEntryPages,
  bindMailLinkPages,
  bindMessengerEntry,
  type EntryPageServices,
  landingPage,
  type MailLinkPageServices,
} from "./entry/mod.ts";
import type { MessengerSignIn } from "../platform/notifications/mod.ts";
import { bindMcp } from "./mcp/mod.ts";
import { PageBinder, PageSession, type PageSessionServices } from "./visit/mod.ts";
import { bindOverview, type OverviewServices } from "./overview/mod.ts";
import { bindProjectPages } from "./project/mod.ts";
import { bindReferencePages } from "./reference/mod.ts";
import { bindSearch } from "./search/mod.ts";
import { bindKeyPages } from "./keys/mod.ts";
import { bindWorkspacePages, type WorkspacePageServices } from "./workspace/mod.ts";

/** Binds the pages of a platform at `url`. */
export function bindPages(
  router: Router,
  services:
    & PageSessionServices
    & EntryPageServices
    & MailLinkPageServices
    & DevicePageServices
    & ConsentPageServices
    & AccountPageServices
    & EmailPageServices
    & WorkspacePageServices
    & ChannelPageServices
    & InboxPageServices
    & DeploymentPageServices
    & OverviewServices
    & { readonly messengerSignIn: MessengerSignIn | undefined },
  platform: {
    readonly url: string;
    readonly version: string;
    now(): number;
  },
): void {
  const { url, version, now } = platform;
  const bind = new PageBinder(router, new PageSession(services));
  router.page("GET", STYLESHEET_PATH, showStylesheet);
  router.page("GET", "/assets/mark.svg", showIcon);
  router.page("GET", HTMX_PATH, showHtmx);
  router.page("GET", BOARD_SCRIPT_PATH, showBoardScript);
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
  bindDocs(router, { publicOrigin });
  bindMailLinkPages(bind, services);
  bindDevicePages(bind, services);
  bindConsentPages(bind, services);
  bindAccountPages(bind, services);
  bindEmailPages(bind, services);
  bindWorkspacePages(bind, services);
  bindKeyPages(bind, services);
  bindOverview(bind, services);
  bindSearch(bind, services);
  bindProjectPages(bind, services);
  bindDeploymentPages(bind, services);
  bindChannelPages(bind, router, services);
  bindInboxPages(bind, router, services);
  bindMcp(router, { publicOrigin, version, now });
}
