import { deleteDatabase } from "../../contract/databases.ts";
import { defineCommand } from "../command/command.ts";
import { actionRequired, declined } from "../errors/cli_error.ts";
import { openDatabase, PROJECT_OPTION } from "./open_database.ts";

export default defineCommand({
  description:
    "A person types the name to confirm; --force is required where nobody can be asked. Its " +
    "clients are cut off at once. `svc db undelete` brings it back within seven days.",
  define: (command) =>
    command
      .argument("<database>", "id or name of the database")
      .option("--force", "do not ask")
      .option(...PROJECT_OPTION),
  offers: { database: "database" },
  examples: [
    ["db delete shop", "delete the database shop after asking"],
    ["db delete shop --force", "delete it without asking"],
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
      if (typed.trim() !== database.name) throw declined("Nothing deleted: the name differs");
    }
    const gone = await client.call(deleteDatabase, { params });
    ctx.ui.done("db", `Deleted database ${database.name} of ${project.name}`);
    if (gone.removedAt !== null) {
      const line = ctx.lines.ofProject("db", "undelete", database.id);
      ctx.ui.note(`Until ${gone.removedAt}, this brings it back: ${line}`);
    }
    ctx.ui.result({ deleted: true, database: gone }, "");
  },
});
