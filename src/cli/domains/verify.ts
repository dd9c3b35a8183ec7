import { type VerifiedDomain, verifyDomain } from "../../contract/domains.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import { listDomains, pickDomain } from "./project_domains.ts";
import { formatChecks } from "./show_dns.ts";

function sayHints(ctx: Context, { checks, notes }: VerifiedDomain): void {
  for (const { type, name, hint } of checks) {
    if (hint !== null) ctx.ui.log("domains", "warn", printable(`${type} ${name}: ${hint}`));
  }
  for (const note of notes) ctx.ui.log("domains", "info", printable(note));
}

export default defineCommand({
  description:
    "Looks up the DNS records and shows the expected and found values. The TXT record proves ownership of the whole zone. Exits with code 1 until it is found.",
  define: (command) =>
    command
      .argument("<domain_id>", "ID or name of the domain")
      .option(...PROJECT_OPTION),
  offers: { domain_id: "domain" },
  examples: [
    ["domains verify www.example.com", "check its records"],
    ["domains verify www.example.com --json", "print the results as JSON"],
  ],
  async run({ args: [reference], flags }, ctx) {
    const { client, project } = await openProject(ctx, {
      given: flags.projectId,
      phase: "domains",
    });
    const domains = await listDomains(client, project);
    const { id, hostname } = pickDomain(ctx, { domains, reference, project });
    const answer = await client.call(verifyDomain, {
      params: { project: project.id, domain: id },
    });
    sayHints(ctx, answer);
    const table = formatChecks(ctx.ui, answer.checks);
    if (answer.domain.status !== "verified") {
      ctx.ui.note(table);
      throw new CliError(
        "domain_unverified",
        `Cannot verify ${hostname}: the ownership record was not found`,
        {
          next: [ctx.lines.again()],
          details: { ...answer },
        },
      );
    }
    const incomplete = answer.checks.some(({ ok }) => !ok);
    ctx.ui.done(
      "domains",
      `${hostname} is verified${incomplete ? ", but some records are wrong" : ""}`,
    );
    ctx.ui.result(answer, table);
  },
});
