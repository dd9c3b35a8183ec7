import { undeleteDatabase } from "../../contract/databases.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { nearest } from "../../lib/suggest.ts";
import { listDatabases, PROJECT_OPTION } from "./open_database.ts";

export default defineCommand({
  description: "It comes back with its branches, data and passwords.",
  define: (command) =>
    command
      .argument("<database>", "id or name of the deleted database")
      .option(...PROJECT_OPTION),
  offers: { database: "deleted-database" },
  examples: [["db undelete shop", "bring the database shop back"]],
  async run({ args: [given], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "db" });
    const deleted = await listDatabases(client, project, { deleted: true });
    // Several may have had one name: the last that was deleted is meant.
    const found = deleted.findLast(({ id, name }) => id === given || name === given);
    if (found === undefined) {
      const names = deleted.map(({ name }) => name);
      const near = nearest(given, names);
      throw new CliError(
        "not_found",
        `Name a deleted database of ${project.name}: "${printable(given)}" is none`,
        {
          hint: near !== undefined
            ? `Did you mean ${near}?`
            : names.length === 0
            ? "None can be had back"
            : `These can be had back: ${names.join(", ")}`,
          next: [ctx.lines.ofProject("db", "list", "--deleted")],
        },
      );
    }
    const database = await client.call(undeleteDatabase, {
      params: { project: project.id, database: found.id },
      idempotent: true,
    });
    ctx.ui.done("db", `Database ${database.name} of ${project.name} is back`);
    ctx.ui.result({ database }, "");
  },
});
