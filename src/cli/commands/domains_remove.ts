import { endpoints } from "../../contract/mod.ts";
import { actionRequired, declined } from "../cli_error.ts";
import { defineCommand } from "../command.ts";
import { listDomains, pickDomain, projectOfDomains } from "../domains/project_domains.ts";

export default defineCommand({
  description: "It answers no longer, and its name is free again.",
  define: (command) =>
    command
      .argument("<domain_id>", "id or name of the domain")
      .option("--force", "do not ask")
      .option("--project-id <id>", "id or name of the project"),
  examples: [
    ["domains remove www.example.com", "remove it after a question"],
    ["domains remove www.example.com --force", "remove it without one"],
  ],
  answers: "{ removed, domain }",
  async run({ args: [reference], flags }, ctx) {
    const command = "svc domains remove";
    const { client, project } = await projectOfDomains(ctx, flags.projectId, command);
    const domain = pickDomain(await listDomains(client, project), reference, project);
    if (flags.force !== true) {
      if (ctx.prompter === undefined) {
        throw actionRequired(
          `Confirm that domain ${domain.hostname} of ${project.name} shall be removed`,
          [`${command} ${domain.id} --project-id ${project.id} --force`],
        );
      }
      const sure = await ctx.prompter.confirm({
        message: `Remove domain ${domain.hostname}? It then shows ${project.name} no longer`,
      });
      if (!sure) throw declined("Nothing removed");
    }
    await client.call(endpoints.deleteDomain, {
      params: { project: project.id, domain: domain.id },
    });
    ctx.ui.done("domains", `Removed ${domain.hostname} from ${project.name}`);
    ctx.ui.result({ removed: true, domain }, "");
  },
});
