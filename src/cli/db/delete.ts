import { deleteDatabase } from "../../contract/databases.ts";
import { defineCommand } from "../command/command.ts";
import { actionRequired, declined } from "../errors/cli_error.ts";
import { openDatabase } from "./open_database.ts";
import { PROJECT_OPTION } from "../projects/resolve_project.ts";

export default defineCommand({
  description:
    "Asks you to type the name. In a script, use --force. Disconnects the database's clients immediately. `svc db undelete` restores the database within seven days.",
  define: (command) =>
    command
      .argument("<database>", "ID or name of the database")
      .option("--force", "skip the confirmation")
      .option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [
    ["db delete shop", "delete the database shop after confirmation"],
    ["db delete shop --force", "delete it without confirmation"],
  ],
  async run({ args: [given], flags }, ctx) {
    const { client, project, database, params } = await openDatabase(ctx, {
      database: given,
      projectId: flags.projectId,
    });
    if (flags.force !== true) {
      if (ctx.prompter === undefined) {
        throw actionRequired(
          `Confirm the deletion of database ${database.name} of ${project.name} with --force`,
          [ctx.lines.of("db", "delete", database.id, "--project-id", project.id, "--force")],
        );
      }
      const typed = await ctx.prompter.text({
        message: `Type ${database.name} to delete that database and all its branches`,
      });
      if (typed.trim() !== database.name) {
        throw declined("Nothing deleted: the name does not match");
      }
    }
    const gone = await client.call(deleteDatabase, { params });
    ctx.ui.done("db", `Deleted database ${database.name} of ${project.name}`);
    if (gone.removedAt !== null) {
      const line = ctx.lines.ofProject("db", "undelete", database.id);
      ctx.ui.note(`To restore it before ${gone.removedAt}: ${line}`);
    }
    ctx.ui.result({ deleted: true, database: gone }, "");
  },
});
