/** @module Finds pages by name in a search. Pure. */
import {
  auditPath,
  keysPath,
  overviewPath,
  projectPath,
  publishersPath,
  usagePath,
  webhooksPath,
} from "../layout/bar.tsx";
import { PROJECT_PAGES } from "../layout/board_frame.tsx";

export interface KnownPage {
  readonly name: string;
  readonly path: string;
  /** Other search terms for the page, separated by spaces. */
  readonly words: string;
}

/**
 * Finds the workspace, project and account pages that match a search. Returns all of them if the
 * search is empty.
 */
export function findPages(slug: string, wanted: string, project?: string): KnownPage[] {
  const pages: KnownPage[] = [
    ...(project === undefined ? [] : PROJECT_PAGES.map(([page, name]) => ({
      name: `${name} of ${project}`,
      path: projectPath(slug, project, page),
      words: page,
    }))),
    { name: "Projects", path: overviewPath(slug), words: "overview sites" },
    { name: "New project", path: `/workspaces/${slug}/new-project`, words: "create add make" },
    {
      name: "Members",
      path: `/workspaces/${slug}`,
      words: "people roles invite invitation leave",
    },
    { name: "API keys", path: keysPath(slug), words: "token permissions credentials automation" },
    {
      name: "Trusted publishers",
      path: publishersPath(slug),
      words: "ci github actions gitlab oidc keys",
    },
    { name: "Webhooks", path: webhooksPath(slug), words: "events deliveries replay endpoints" },
    { name: "Audit log", path: auditPath(slug), words: "changes history who security" },
    { name: "Usage", path: usagePath(slug), words: "limits quota how many" },
    { name: "Inbox", path: "/notifications", words: "notifications archive" },
    {
      name: "Preferences",
      path: "/notifications/preferences",
      words: "notification preferences quiet hours settings",
    },
    {
      name: "Channels",
      path: "/account/channels",
      words: "messenger telegram push browser email settings",
    },
    {
      name: "Security",
      path: "/account",
      words: "account password second factor two-factor recovery codes settings",
    },
    { name: "Sessions and devices", path: "/account/sessions", words: "browsers devices log out" },
    { name: "Activity", path: "/account/activity", words: "audit log security events" },
    { name: "All workspaces", path: "/workspaces", words: "teams switch" },
    { name: "Documentation", path: "/docs", words: "docs help manual" },
    { name: "API reference", path: "/docs/api", words: "documentation openapi http" },
  ];
  const text = wanted.toLowerCase();
  return pages.filter(({ name, words }) => `${name} ${words}`.toLowerCase().includes(text));
}
