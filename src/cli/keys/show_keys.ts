/** @module Lists, finds and formats a workspace's API keys, for the `keys` commands. */
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import { type ApiKey, listApiKeys } from "../../contract/api_keys.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { CliError } from "../errors/cli_error.ts";
import { formatAge, printable } from "../terminal/format.ts";

/** Maximum number of keys to list. */
const MAX_LISTED = 1000;

/** Lists all API keys of the workspace. */
export async function listKeys(client: Client): Promise<ApiKey[]> {
  const { items } = await collectPages(
    (query) => client.call(listApiKeys, { query }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}

/** Finds the key with the given ID or prefix, or the only key with the given name. */
export async function findKey(client: Client, reference: string): Promise<ApiKey> {
  const found = (await listKeys(client)).filter(({ id, name, prefix }) =>
    [id, name, prefix].includes(reference)
  );
  if (found.length === 1) return found[0]!;
  const shown = printable(reference);
  const problem = found.length === 0
    ? `there is no "${shown}"`
    : `several have the name "${shown}"`;
  throw new CliError("not_found", `Cannot find the API key: ${problem}`, {
    next: ["svc keys list"],
  });
}

export const KEY_HEADINGS = [
  "NAME",
  "KEY",
  "ROLE",
  "MAY",
  "PROJECTS",
  "ENDS",
  "USED",
  "ID",
] as const;

/** Formats a key as a table row. `now` is in milliseconds. */
export function keyRow(key: ApiKey, now: number): string[] {
  const { name, prefix, role, permissions, projects, expiresAt, lastUsedAt, lastAddress, id } = key;
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now;
  const from = lastAddress === null ? "" : ` from ${printable(lastAddress)}`;
  return [
    printable(name),
    `${prefix}…`,
    role,
    permissions.join(", "),
    projects === null ? "all" : String(projects.length),
    expiresAt === null ? "never" : isOver ? "expired" : expiresAt.slice(0, 10),
    lastUsedAt === null ? "never" : formatAge(lastUsedAt, now) + from,
    id,
  ];
}
