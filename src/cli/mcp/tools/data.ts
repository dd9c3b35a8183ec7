/**
 * Tools about variables and databases.
 *
 * @module
 */
import { z } from "zod";
import {
  CommandFailure,
  defineTool,
  folderInput,
  listOf,
  projectFlag,
  projectInput,
} from "../tool.ts";

const anyObject = z.record(z.string(), z.unknown());

const databaseInput = {
  ...projectInput,
  database: z.string().max(100).optional().describe("Name; without it, the project's first"),
  branch: z.string().max(100).optional().describe("Without it, main"),
};

function databaseFlags({ branch }: { readonly branch?: string | undefined }): string[] {
  return branch === undefined ? [] : [`--branch=${branch}`];
}

export const listVariables = defineTool({
  name: "list_variables",
  title: "List variables",
  description: "Names and scopes of the project's variables; values of secrets are never shown.",
  input: { ...projectInput, environment: z.string().max(100).optional() },
  output: { variables: z.array(anyObject) },
  effect: "read",
  async run({ project, environment }, around) {
    const answer = await around.svc([
      "env",
      "list",
      ...environment === undefined ? ["--all"] : [`--environment=${environment}`],
      ...projectFlag(project, around),
    ]);
    // Plain values may be long, and are not what an agent needs.
    const variables = listOf(answer, "variables").map(({ value: _value, ...facts }) => facts);
    return {
      text: variables.map(({ key, category }) => `${key} (${category})`).join("\n") ||
        "No variables",
      data: { variables },
    };
  },
});

/** Variables of the server's environment that say how svc itself acts. */
const OWN_VARIABLES = "SVC_";

export const setVariable = defineTool({
  name: "set_variable",
  title: "Set a variable unseen",
  description: "Sets a variable from a file or from a variable of this server's environment, so " +
    "that its value never passes through the conversation. It counts from the next deploy.",
  input: {
    ...projectInput,
    ...folderInput,
    name: z.string().max(100).describe("Name of the variable"),
    fromFile: z.string().max(4096).optional().describe(
      "File of the project that holds the value alone",
    ),
    fromEnvironment: z.string().max(100).optional()
      .describe("Variable of this server's environment that holds the value"),
    isSecret: z.boolean().default(true),
    environment: z.string().max(100).optional()
      .describe("production, preview or another; without it, all"),
  },
  output: { variable: z.object({ key: z.string() }) },
  effect: "destroy",
  isIdempotent: true,
  async run(input, around) {
    const { name, fromFile, fromEnvironment, isSecret, environment, folder, project } = input;
    if (fromEnvironment?.startsWith(OWN_VARIABLES)) {
      throw new CommandFailure({
        error: `${fromEnvironment} is svc's own, and may be its key: it goes to no site`,
        code: "forbidden",
      });
    }
    const found = fromEnvironment === undefined ? undefined : around.env(fromEnvironment);
    if ((fromFile === undefined) === (found === undefined)) {
      throw new CommandFailure({
        error: fromEnvironment !== undefined && found === undefined
          ? `This server's environment has no variable ${fromEnvironment}`
          : "Give fromFile or fromEnvironment, one of them",
        code: "usage",
        hint: "A person can put the value into a file, or start the server with the variable",
      });
    }
    const value = fromFile === undefined ? found : await around.readFile(fromFile, folder);
    const words = [
      ...["env", "set", isSecret ? "--secret" : "--plain", "--stdin"],
      ...environment === undefined ? ["--all"] : [`--environment=${environment}`],
      ...projectFlag(project, around),
      ...["--", name],
    ];
    await around.svc(words, {
      folder,
      ...value === undefined ? {} : { stdin: value },
    });
    return {
      text: `${name} is set; it counts from the next deploy`,
      data: { variable: { key: name } },
      next: [{ tool: "deploy", arguments: { production: true }, why: "so that it counts" }],
    };
  },
});

export const queryDatabase = defineTool({
  name: "query_database",
  title: "Query a database, read-only",
  description: "Runs SQL that changes nothing; at most 100 rows of each statement are shown.",
  input: { ...databaseInput, sql: z.string().min(1).max(100_000) },
  output: { results: z.array(anyObject) },
  effect: "read",
  async run({ project, database, branch, sql }, around) {
    const answer = await around.svc([
      ...["db", "query", "--read-only"],
      ...database === undefined ? [] : [`--database=${database}`],
      ...databaseFlags({ branch }),
      ...projectFlag(project, around),
    ], { stdin: sql });
    const results = listOf(answer, "results").map((result) => {
      const rows = listOf(result, "rows");
      return { ...result, rows: rows.slice(0, 100), isCut: rows.length > 100 };
    });
    return { text: JSON.stringify(results), data: { results } };
  },
});

export const describeDatabase = defineTool({
  name: "describe_database",
  title: "Describe a database",
  description: "The definitions of a database's tables, as SQL.",
  input: databaseInput,
  output: { schema: z.string() },
  effect: "read",
  async run({ project, database, branch }, around) {
    const { schema } = await around.svc([
      ...["db", "schema"],
      ...databaseFlags({ branch }),
      ...projectFlag(project, around),
      ...database === undefined ? [] : ["--", database],
    ]);
    return {
      text: String(schema),
      data: { schema },
      next: [{ tool: "query_database", arguments: { sql: "select 1" }, why: "to read rows" }],
    };
  },
});
