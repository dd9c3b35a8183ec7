import { fetchOctets } from "../../client/query_events.ts";
import { getDatabaseSchema } from "../../contract/database_queries.ts";
import { defineCommand } from "../command/command.ts";
import { openDatabase, takeDatabaseBranch } from "./open_database.ts";

export default defineCommand({
  description:
    "The SQL recreates the schema in an empty database or branch. If any of these objects already exist, running the SQL fails and changes nothing.",
  define: takeDatabaseBranch,
  offers: { database: "database" },
  examples: [
    ["db schema", "print the schema of the project's database"],
    ["db schema shop --branch staging > schema.sql", "save a branch's schema"],
  ],
  async run({ args: [given], flags }, ctx) {
    const { client, database, params } = await openDatabase(ctx, {
      database: given,
      projectId: flags.projectId,
    });
    const { branch } = flags;
    const stream = await fetchOctets(client, getDatabaseSchema, {
      params,
      query: { branch },
    });
    const schema = await new Response(stream).text();
    if (schema.trim() === "") ctx.ui.note(`Branch ${branch} of ${database.name} is empty`);
    ctx.ui.result({ database: database.name, branch, schema }, schema.trimEnd());
  },
});
