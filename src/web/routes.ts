/** @module Binds every page of the web interface to its path. */
import type { Router } from "../platform/core/http/mod.ts";
import { type AccountPageServices, bindAccountPages } from "./account/account_routes.ts";
import { bindEmailPages, type EmailPageServices } from "./account/email_routes.ts";
import { bindChannelPages, type ChannelPageServices } from "./notifications/channel_pages.tsx";
import { bindInboxPages, type InboxPageServices } from "./notifications/inbox_routes.ts";
import { bindConsentPages, type ConsentPageServices } from "./consent/consent_page.tsx";
import { bindDocs } from "./docs/docs_routes.ts";
import {
  bindDeploymentPages,
  type DeploymentPageServices,
} from "./deployment/deployment_routes.ts";
import { bindDevicePages, type DevicePageServices } from "./device/device_pages.tsx";
import { SESSION_PATH } from "./layout/form_script.ts";
import { BOARD_SCRIPT_PATH, HTMX_PATH, showBoardScript, showHtmx } from "./layout/scripts.ts";
import { CHART_SCRIPT_PATH, showChartScript } from "./layout/chart_script.ts";
import { PALETTE_PATH, showPaletteScript } from "./layout/palette_script.ts";
import { LIVE_WORKER_PATH, showLiveWorker } from "./layout/live_script.ts";
import { goTo, showIcon, showStylesheet, STYLESHEET_PATH } from "./layout/document.tsx";
import { bindEntryPages, type EntryPageServices } from "./entry/entry_routes.ts";
import { bindMailLinkPages, type MailLinkPageServices } from "./entry/mail_link_routes.ts";
import { bindMessengerEntry } from "./entry/messenger_entry_routes.ts";
import { landingPage } from "./entry/landing_page.tsx";
import { bindMcp } from "./mcp/mcp_routes.ts";
import { PageBinder } from "./visit/page_binder.tsx";
import { PageSession, type PageSessionServices } from "./visit/page_session.ts";
import { bindOverview, type OverviewServices } from "./overview/overview_page.tsx";
import { bindPreviewPages, type PreviewPageServices } from "./previews/preview_routes.ts";
import { bindReferencePages } from "./reference/reference_routes.ts";
import { bindSearch } from "./search/search_page.tsx";
import { showStudioScript, STUDIO_SCRIPT_PATH } from "./database/studio_script.ts";
import { showUploadScript, UPLOAD_SCRIPT_PATH } from "./start/upload_script.ts";
import { bindStart, type StartServices } from "./start/start_routes.ts";
import { bindWebhooks } from "./workspace/webhooks_routes.ts";
import { bindWorkspacePages, type WorkspacePageServices } from "./workspace/workspace_routes.ts";
import type { MessengerSignIn } from "../platform/notifications/mod.ts";
import type { BoardServices } from "./visit/board_context.ts";
import { bindKeys } from "./keys/keys_routes.ts";
import { bindPublishers } from "./keys/publishers_page.tsx";
import { bindCron } from "./project/cron_page.tsx";
import { bindDatabases } from "./database/databases_routes.ts";
import { bindEdge } from "./project/edge_page.tsx";
import { bindBuilds } from "./project/builds_routes.ts";
import { bindDeploy } from "./project/deploy_routes.ts";
import { bindDeployments } from "./project/deployments_routes.ts";
import { bindDomains } from "./project/domains_page.tsx";
import { bindUsage } from "./project/usage_page.tsx";
import { bindDrains } from "./project/drains_page.tsx";
import { bindEnvironments } from "./project/environments_routes.ts";
import { bindErrors } from "./project/errors_page.tsx";
import { bindHooks } from "./project/hooks_page.tsx";
import { bindBlobs, type BlobPageServices } from "./project/blobs_routes.ts";
import { bindKv } from "./project/kv_routes.ts";
import { bindForms } from "./project/forms_page.tsx";
import { bindQueues } from "./project/queues_page.tsx";
import { bindLogs } from "./project/logs_routes.ts";
import { bindRules, type RulesPageServices } from "./project/rules_routes.ts";
import { RULES_SCRIPT_PATH, showRulesScript } from "./project/rules_script.ts";
import { bindSettings } from "./project/settings_page.tsx";
import { bindTraffic } from "./project/traffic_page.tsx";
import { type Person, selfCallerOf } from "../platform/core/access/mod.ts";
import type { WorkspaceService } from "../platform/workspaces/mod.ts";
import { overviewPath } from "./layout/bar.tsx";

/**
 * Returns the path of a person's first workspace, or the path of the workspace list if the person
 * has no workspace.
 */
async function homePath(workspaces: WorkspaceService, person: Person): Promise<string> {
  const { items: [first] } = await workspaces.list(selfCallerOf(person), { limit: 1 });
  return first === undefined ? "/workspaces" : overviewPath(first.slug);
}

function bindProjectPages(
  bind: PageBinder,
  services: StartServices & RulesPageServices & BlobPageServices,
): void {
  bindDeployments(bind, services);
  bindDeploy(bind, services);
  bindBuilds(bind, services);
  bindLogs(bind, services);
  bindTraffic(bind, services);
  bindUsage(bind, services);
  bindErrors(bind, services);
  bindDomains(bind, services);
  bindEnvironments(bind, services);
  bindHooks(bind, services);
  bindCron(bind, services);
  bindDatabases(bind, services);
  bindKv(bind, services);
  bindBlobs(bind, services);
  bindQueues(bind, services);
  bindForms(bind, services);
  bindEdge(bind, services);
  bindRules(bind, services);
  bindDrains(bind, services);
  bindSettings(bind, services);
}

function bindKeyPages(bind: PageBinder, services: BoardServices): void {
  bindKeys(bind, services);
  bindPublishers(bind, services);
}

/** Binds a platform's pages. */
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
    & PreviewPageServices
    & OverviewServices
    & RulesPageServices
    & BlobPageServices
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
  router.page("GET", PALETTE_PATH, showPaletteScript);
  router.page("GET", UPLOAD_SCRIPT_PATH, showUploadScript);
  router.page("GET", STUDIO_SCRIPT_PATH, showStudioScript);
  router.page("GET", LIVE_WORKER_PATH, showLiveWorker);
  router.page("GET", CHART_SCRIPT_PATH, showChartScript);
  router.page("GET", RULES_SCRIPT_PATH, showRulesScript);
  bind.open(
    "GET",
    "/",
    async ({ person }) =>
      person === undefined
        ? landingPage({ url, version })
        : goTo(await homePath(services.workspaces, person)),
  );
  bind.personal(
    "GET",
    SESSION_PATH,
    ({ csrf, person }) =>
      Response.json({ csrf, person: person.user.id }, { headers: { "cache-control": "no-store" } }),
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
  bindWebhooks(bind, services);
  bindOverview(bind, services);
  bindStart(bind, services);
  bindSearch(bind, services);
  bindProjectPages(bind, services);
  bindDeploymentPages(bind, services);
  bindPreviewPages(bind, services);
  bindChannelPages(bind, router, services);
  bindInboxPages(bind, router, services);
  bindMcp(router, { publicOrigin, version, now });
}
