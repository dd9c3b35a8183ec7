import type { Domain } from "../../contract/domains.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { listDomains } from "./project_domains.ts";

const toRow = ({ hostname, status, environment, certificate, redirectTo, id }: Domain) => [
  hostname,
  status,
  redirectTo === null ? environment : `redirects to ${redirectTo}`,
  certificate.status,
  id,
];

export default defineCommand({
  description: "A domain works once it is verified.",
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["domains list", "show the custom domains of this directory's project"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, {
      given: flags.projectId,
      phase: "domains",
    });
    const domains = await listDomains(client, project);
    if (domains.length === 0) ctx.ui.note("No domains yet: `svc domains add <domain>` adds one");
    const headings = ["DOMAIN", "STATUS", "ENVIRONMENT", "CERTIFICATE", "ID"];
    ctx.ui.result({ domains }, ctx.ui.table(headings, domains.map(toRow)));
  },
});
