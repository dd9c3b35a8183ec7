import { undeleteDatabase } from "../../contract/databases.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { nearest } from "../../lib/suggest.ts";
import { listDatabases } from "./open_database.ts";

export default defineCommand({
  description: "Restores the database with its branches, data and passwords.",
  define: (command) =>
    command
      .argument("<database>", "ID or name of the deleted database")
      .option(...PROJECT_OPTION),
  offers: { database: "deleted-database" },
  examples: [["db undelete shop", "restore the database shop"]],
  async run({ args: [given], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "db" });
    const deleted = await listDatabases(client, project, { deleted: true });
    // Several deleted databases can have the same name. In that case, the name selects the one that
    // was deleted last.
    const found = deleted.findLast(({ id, name }) => id === given || name === given);
    if (found === undefined) {
      const names = deleted.map(({ name }) => name);
      const near = nearest(given, names);
      throw new CliError(
        "not_found",
        `Project ${project.name} has no deleted database "${printable(given)}"`,
        {
          hint: near !== undefined
            ? `Did you mean ${near}?`
            : names.length === 0
            ? "There are no databases to restore"
            : `You can restore: ${names.join(", ")}`,
          next: [ctx.lines.ofProject("db", "list", "--deleted")],
        },
      );
    }
    const database = await client.call(undeleteDatabase, {
      params: { project: project.id, database: found.id },
      idempotent: true,
    });
    ctx.ui.done("db", `Restored database ${database.name} of ${project.name}`);
    ctx.ui.result({ database }, "");
  },
});
