/** @module Lists and finds a project's custom domains, for the `domains` commands. */
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import { type Domain, listDomains as listDomainsEndpoint } from "../../contract/domains.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import type { Project } from "../../contract/projects.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import { nearest } from "../../lib/suggest.ts";

/** Maximum number of domains to list. */
const MAX_LISTED = 10_000;

/** Lists all domains of a project, sorted by zone and then by name. */
export async function listDomains(client: Client, project: Project): Promise<Domain[]> {
  const { items } = await collectPages(
    (query) => client.call(listDomainsEndpoint, { params: { project: project.id }, query }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  const placeOf = ({ zone, hostname }: Domain) => `${zone} ${hostname}`;
  return items.sort((a, b) => placeOf(a) < placeOf(b) ? -1 : 1);
}

/** Converts a hostname to the platform's spelling: lower case, punycode, no trailing dot. */
function toHostname(text: string): string {
  const hostname = URL.parse(`http://${text}/`)?.hostname ?? text;
  return hostname.replace(/\.$/, "");
}

/**
 * Finds the domain with the given ID or hostname, in any spelling. Throws `not_found` if there is
 * none.
 */
export function pickDomain(
  ctx: Context,
  { domains, reference, project }: {
    readonly domains: readonly Domain[];
    readonly reference: string;
    readonly project: Project;
  },
): Domain {
  const hostname = toHostname(reference);
  const found = domains.find((domain) => domain.id === reference || domain.hostname === hostname);
  if (found !== undefined) return found;
  const near = nearest(hostname, domains.map((domain) => domain.hostname));
  throw new CliError(
    "not_found",
    `Project ${project.name} has no domain "${printable(reference)}"`,
    {
      ...(near === undefined ? {} : { hint: `Did you mean ${near}?` }),
      next: [ctx.lines.ofProject("domains", "list")],
    },
  );
}
