import { addDomain } from "../../contract/domains.ts";
import { defineCommand } from "../command/command.ts";
import { requireEnvironment } from "../environments/choose_environment.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { formatRecords } from "./show_dns.ts";

export default defineCommand({
  description:
    "An apex domain and its www name are added together: one redirects to the other. The domain works after `svc domains verify` has found the ownership record.",
  define: (command) =>
    command
      .argument("<domain>", "a name such as www.example.com, *.example.com or bücher.example")
      .option("--environment <name-or-id>", "environment to serve")
      .option(...PROJECT_OPTION),
  examples: [
    ["domains add www.example.com --environment production", "serve production at this domain"],
    ["domains add '*.preview.example.com' --environment preview", "add all names below a domain"],
  ],
  async run({ args: [hostname], flags }, ctx) {
    const { client, project, folder } = await openProject(ctx, {
      given: flags.projectId,
      phase: "domains",
    });
    const { environment } = await requireEnvironment(ctx, {
      given: flags.environment,
      folder,
      project,
      client,
      phase: "domains",
    });
    const answer = await client.call(addDomain, {
      params: { project: project.id },
      body: { hostname, environment: environment.name },
    });
    const { domain, records, notes } = answer;
    ctx.ui.done("domains", `Added ${domain.hostname} for ${environment.name} of ${project.name}`);
    for (const note of notes) ctx.ui.log("domains", "info", printable(note));
    ctx.ui.note(
      domain.status === "verified"
        ? `Already verified through the zone ${domain.zone}. Set these records:`
        : `Set these records, then: ${ctx.lines.ofProject("domains", "verify", domain.hostname)}`,
    );
    ctx.ui.result(answer, formatRecords(ctx.ui, records));
  },
});
