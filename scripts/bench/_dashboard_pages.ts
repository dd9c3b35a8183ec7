/** @module The dashboard pages that `deno task bench dashboard` measures. */
import { leadsTo, pageRoutes } from "../../tests/helpers/page_routes.ts";

/** Number of notifications that the person who opens the pages has. */
export const NOTIFICATIONS = 100_000;

const AT = "/workspaces/bench/projects/project-0";

/** IDs of the records whose pages are measured. */
export interface MeasuredRecords {
  readonly deployment: string;
  readonly key: string;
}

export const pagesOf = ({ deployment, key }: MeasuredRecords): readonly string[] => [
  "/workspaces",
  "/workspaces/bench",
  "/workspaces/bench/keys",
  `/workspaces/bench/keys/${key}`,
  "/workspaces/bench/publishers",
  "/workspaces/bench/audit",
  "/workspaces/bench/projects",
  "/workspaces/bench/new-project",
  "/workspaces/bench/new-project/git",
  "/workspaces/bench/new-project/upload",
  "/workspaces/bench/new-project/template",
  "/workspaces/bench/webhooks",
  "/workspaces/bench/search",
  "/workspaces/bench/search?q=project-99",
  "/workspaces/bench/search?q=tide",
  "/workspaces/bench/usage",
  ...[
    "",
    "/day",
    "/picture",
    "/builds",
    "/deploy",
    "/hooks",
    "/cron",
    "/logs",
    "/logs?counts=1&range=1h",
    "/logs/counts?range=1h",
    "/traffic",
    "/databases",
    "/kv",
    "/blobs",
    "/queues",
    "/forms",
    "/domains",
    "/environments",
    "/rules",
    "/drains",
  ]
    .map((path) => AT + path),
  `${AT}/edge?method=GET&url=%2F`,
  `${AT}/errors`,
  `${AT}/usage`,
  `${AT}/settings`,
  `/deployments/${deployment}`,
  `/deployments/${deployment}/compare`,
  "/notifications",
  "/notifications?show=unread&category=Health&priority=HIGH",
  `/notifications?offset=${NOTIFICATIONS / 2}`,
  "/notifications/preferences",
  "/account",
  "/account/sessions",
  "/account/activity",
  "/account/channels",
  "/device",
  "/sign-in",
  "/sign-up",
  "/forgot-password",
  "/docs",
  "/docs/search?q=rules",
  "/docs/rules",
  "/docs/api",
  "/docs/api/projects",
];

/** Pages that redirect signed-in users. */
export const BEFORE_SIGN_IN = /^\/(?:sign-|forgot-)/;

/** Routes without a page, or with a page that does not grow with the data. */
const NOT_MEASURED: Readonly<Record<string, string>> = {
  "/": "redirects to the projects",
  "/session": "a few bytes for scripts",
  "/previews/sign-in": "redirects to a preview",
  "/sign-in/messenger": "needs a bot",
  "/sign-in/two-factor": "needs a second factor",
  "/welcome/:token": "works only once",
  "/invitation/:token": "one record",
  "/sign-up/confirm/:token": "one record",
  "/reset-password/:token": "one record",
  "/account/email/confirm/:token": "one record",
  "/oauth/authorize": "one record",
  "/workspaces/:slug/webhooks/:webhook": "one record",
  "/workspaces/:slug/projects/:project/errors/:error": "one record",
  "/workspaces/:slug/projects/:project/logs/entry": "one line",
  "/workspaces/:slug/projects/:project/logs/lines.ndjson": "a download",
  "/workspaces/:slug/projects/:project/blobs/download": "a download",
  "/workspaces/:slug/projects/:project/forms/export": "a download",
  "/workspaces/:slug/projects/:project/deployments": "redirects to the project",
  "/workspaces/:slug/projects/:project/variables": "redirects to the environments",
  "/deployments/:deployment/forms/:form": "redirects to the form",
  "/deployments/:deployment/errors/:error": "redirects to the error",
};

/** Paths of files, and of pages whose response time depends on a database. */
const EXEMPT =
  /^\/(?:assets|\.well-known)\/|^\/docs\/schema|\.(?:txt|js)$|\/databases\/:database(?:\/|$)/;

/** Returns the routes of pages that the bench neither measures nor intentionally leaves out. */
export const unmeasuredRoutes = (pages: readonly string[]): string[] =>
  pageRoutes().filter(({ method, path }) =>
    method === "GET" && !EXEMPT.test(path) &&
    NOT_MEASURED[path] === undefined && !pages.some((page) => leadsTo(path, page))
  ).map(({ path }) => path);
