import { deleteDomain } from "../../contract/domains.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { listDomains, pickDomain } from "./project_domains.ts";

export default defineCommand({
  description: "The domain stops working, and another project can add it.",
  define: (command) =>
    command
      .argument("<domain_id>", "ID or name of the domain")
      .option("--force", "skip the confirmation")
      .option(...PROJECT_OPTION),
  offers: { domain_id: "domain" },
  examples: [
    ["domains remove www.example.com", "remove it after confirmation"],
    ["domains remove www.example.com --force", "remove it without confirmation"],
  ],
  async run({ args: [reference], flags }, ctx) {
    const { client, project } = await openProject(ctx, {
      given: flags.projectId,
      phase: "domains",
    });
    const domains = await listDomains(client, project);
    const domain = pickDomain(ctx, { domains, reference, project });
    await confirm(ctx, {
      force: flags.force,
      question: `Remove domain ${domain.hostname}? It will no longer serve ${project.name}`,
      wanted: `Confirm the removal of domain ${domain.hostname} of ${project.name}`,
      declined: "Nothing removed",
      next: ctx.lines.of("domains", "remove", domain.id, "--project-id", project.id, "--force"),
    });
    await client.call(deleteDomain, {
      params: { project: project.id, domain: domain.id },
    });
    ctx.ui.done("domains", `Removed ${domain.hostname} from ${project.name}`);
    ctx.ui.result({ removed: true, domain }, "");
  },
});
