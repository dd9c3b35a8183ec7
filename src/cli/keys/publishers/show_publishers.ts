/**
 * @module Finds and formats a workspace's trusted publishers, for the `keys publishers` commands.
 */
import type { Client } from "../../../client/client.ts";
import { collectPages } from "../../../client/collect_pages.ts";
import {
  listPublishers as listPublishersEndpoint,
  MAX_PUBLISHERS,
  type TrustedPublisher,
} from "../../../contract/publishers.ts";
import { PAGE_LIMIT_MAX } from "../../../contract/common.ts";
import { CliError } from "../../errors/cli_error.ts";
import { formatAge, printable } from "../../terminal/format.ts";

export async function listPublishers(client: Client): Promise<TrustedPublisher[]> {
  const { items } = await collectPages(
    (query) => client.call(listPublishersEndpoint, { query }),
    { limit: MAX_PUBLISHERS, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}

/** Finds the publisher with the given ID, or the only publisher of the given repository. */
export async function findPublisher(client: Client, reference: string): Promise<TrustedPublisher> {
  const found = (await listPublishers(client)).filter(({ id, repository }) =>
    id === reference || repository.toLowerCase() === reference.toLowerCase()
  );
  if (found.length === 1) return found[0]!;
  const shown = printable(reference);
  const problem = found.length === 0 ? `there is no "${shown}"` : `several match "${shown}"`;
  throw new CliError("not_found", `Cannot find the trusted publisher: ${problem}`, {
    next: ["svc keys publishers list"],
  });
}

export const PUBLISHER_HEADINGS = [
  "REPOSITORY",
  "PROVIDER",
  "FOR",
  "MAY",
  "PROJECTS",
  "USED",
  "ID",
] as const;

/** Describes which runs of a workflow get keys. */
function runsOf(publisher: TrustedPublisher): string {
  const { branch, tag, pullRequests, environment, workflow } = publisher;
  return [
    branch !== null ? `branch ${branch}` : tag === null ? "all branches" : "",
    tag === null ? "" : `tag ${tag}`,
    pullRequests ? "pull requests" : "",
    environment === null ? "" : `environment ${environment}`,
    workflow ?? "",
  ].filter((part) => part !== "").join(", ");
}

/** Formats a publisher as a table row. `now` is in milliseconds. */
export function publisherRow(publisher: TrustedPublisher, now: number): string[] {
  const { repository, provider, permissions, projects, lastUsedAt, id } = publisher;
  return [
    printable(repository),
    provider,
    printable(runsOf(publisher)),
    permissions.join(", "),
    projects === null ? "all" : String(projects.length),
    lastUsedAt === null ? "never" : formatAge(lastUsedAt, now),
    id,
  ];
}

/** Returns the lines that the workflow file needs. */
export function publisherLines({ provider }: TrustedPublisher, apiUrl: string): string {
  const { origin } = new URL(apiUrl);
  return provider === "github"
    ? "The job needs `permissions: id-token: write`, and SVC_API_URL and SVC_WORKSPACE in `env:`"
    : `The job needs \`id_tokens: SVC_ID_TOKEN: aud: ${origin}\`, and SVC_API_URL and SVC_WORKSPACE`;
}
