import { ApiError } from "../../client/errors.ts";
import type { Client } from "../../client/client.ts";
import type { Project } from "../../contract/projects.ts";
import { SCOPE_ALL, setVariable, type Variable } from "../../contract/variables.ts";
import { checkValueFlags, readValue, type ValueFlags } from "../command/read_value.ts";
import { defineCommand } from "../command/command.ts";
import {
  chooseEnvironment,
  environmentRequired,
  listEnvironments,
} from "../environments/choose_environment.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProjectFolder, type ProjectFolder } from "../projects/project_folder.ts";
import {
  PROJECT_OPTION,
  type ResolvedProject,
  resolveProject,
} from "../projects/resolve_project.ts";
import type { Context } from "../session/context.ts";
import { formatCount } from "../terminal/format.ts";
import { formatKeyProblems, readDotenvFile } from "./dotenv_file.ts";
import { categoryOfFlags, chooseCategory } from "./variable_category.ts";
import { checkVariableName } from "./variable_name.ts";

interface SetFlags extends ValueFlags {
  readonly allKeys?: true | undefined;
  readonly plain?: true | undefined;
  readonly secret?: true | undefined;
  readonly environment?: string | undefined;
  readonly all?: true | undefined;
  readonly replaceScope?: true | undefined;
  readonly changeCategory?: true | undefined;
  readonly projectId?: string | undefined;
}

type Entry = Pick<Variable, "key" | "category"> & { readonly value: string };

interface VariableRequest {
  readonly client: Client;
  readonly project: Project;
  /** `all`, or the name of an environment. */
  readonly scope: string;
  readonly flags: SetFlags;
}

/** Rejects contradictory command lines before anything is read. */
function checkFlags(given: string | undefined, flags: SetFlags): void {
  if (flags.all === true && flags.environment !== undefined) {
    throw new CliError("usage", "Use either --environment or --all");
  }
  if (flags.allKeys !== true) {
    if (given === undefined) throw new CliError("usage", "No variable name: use svc env set <key>");
    return;
  }
  if (given !== undefined) {
    throw new CliError("usage", "Pass either the name of a variable or --all-keys");
  }
  if (flags.fromFile === undefined || flags.value !== undefined || flags.stdin === true) {
    throw new CliError("usage", "Use --all-keys only with --from-file <path>, a dotenv file");
  }
}

/** Chooses the scope from the flags, the variable, the context, or by asking the user. */
async function chooseScope(
  ctx: Context,
  flags: SetFlags,
  facts: ResolvedProject & { readonly folder: ProjectFolder },
): Promise<string> {
  if (flags.all === true) return SCOPE_ALL;
  const { client, project } = facts;
  const chosen = await chooseEnvironment(ctx, { ...facts, given: flags.environment, phase: "env" });
  if (chosen !== undefined) return chosen.environment.name;
  if (ctx.prompter === undefined) {
    throw environmentRequired(
      ctx,
      "No scope: use --environment or --all",
      "--environment <name> or --all",
    );
  }
  const environments = await listEnvironments(client, project);
  return await ctx.prompter.select({
    message: "Which environments should get it?",
    choices: [
      { value: SCOPE_ALL, label: "all environments" },
      ...environments.map(({ name }) => ({ value: name, label: name })),
    ],
  });
}

function put({ client, project, scope, flags }: VariableRequest, entry: Entry): Promise<Variable> {
  const { key, category, value } = entry;
  return client.call(setVariable, {
    params: { project: project.id, key },
    body: {
      value,
      category,
      scope,
      replaceScope: flags.replaceScope === true,
      changeCategory: flags.changeCategory === true,
    },
  });
}

/**
 * Sets the variables one after another. If the platform rejects a variable, continues with the
 * next.
 */
async function putAll(
  ctx: Context,
  request: VariableRequest,
  entries: readonly Entry[],
): Promise<void> {
  const variables: Variable[] = [];
  const refused: { key: string; message: string }[] = [];
  for (const entry of entries) {
    try {
      variables.push(await put(request, entry));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      refused.push({ key: entry.key, message: error.message });
    }
  }
  if (refused.length > 0) {
    throw new CliError(
      "variables_refused",
      `Only ${variables.length} of ${formatCount(entries.length, "variable")} set` +
        formatKeyProblems(refused),
      { details: { set: variables.map(({ key }) => key), refused } },
    );
  }
  report(ctx, request, `Set ${formatCount(variables.length, "variable")}`);
  ctx.ui.result(
    { scope: request.scope, variables },
    ctx.ui.table(["KEY", "CATEGORY"], variables.map(({ key, category }) => [key, category])),
  );
}

function report(ctx: Context, { project, scope }: VariableRequest, what: string): void {
  const where = scope === SCOPE_ALL ? "all environments" : scope;
  ctx.ui.done("env", `${what} in ${where} of ${project.name}`);
  ctx.ui.note("Takes effect with the next deployment");
}

export default defineCommand({
  description:
    "Pass a secret with --stdin or --from-file, or type it hidden in a terminal. One line break at the end of stdin or a file is removed. If you use neither --plain nor --secret, [env.declarations] in svc.toml decides.",
  define: (command) =>
    command
      .argument("[key]", "name of the variable; omit it with --all-keys")
      .option("--value <value>", "the value; not allowed for secrets")
      .option("--stdin", "read the value from stdin")
      .option("--from-file <path>", "read the value from this file")
      .option("--allow-empty", "allow an empty value")
      .option("--all-keys", "read --from-file as a dotenv file and set all its variables")
      .option("--plain", "store it as plain text that you can view")
      .option("--secret", "store it as a secret that you cannot view again")
      .option("--environment <name-or-id>", "set it in this environment")
      .option("--all", "set it in all environments")
      .option("--replace-scope", "remove its values in other scopes")
      .option("--change-category", "allow a change between plain and secret")
      .option(...PROJECT_OPTION),
  examples: [
    ["env set LOG_LEVEL --plain --value debug --environment preview", "set a plain variable"],
    ["env set API_KEY --secret --stdin --all", "set a secret from a pipe"],
    ["env set TLS_KEY --secret --from-file key.pem --environment production", "from a file"],
    ["env set --from-file .env --all-keys --secret --environment preview", "a dotenv file"],
  ],
  async run({ args: [given], flags }, ctx) {
    checkFlags(given, flags);
    const flag = categoryOfFlags(flags);
    const folder = await openProjectFolder(ctx);
    const declarations = folder.config?.env.declarations ?? new Map();
    if (given !== undefined) checkVariableName(given);
    const settle = async (): Promise<VariableRequest> => {
      const resolved = await resolveProject(ctx, {
        folder,
        given: flags.projectId,
        phase: "env",
      });
      const scope = await chooseScope(ctx, flags, { ...resolved, folder });
      return { ...resolved, scope, flags };
    };
    if (given === undefined) {
      const entries = await readDotenvFile(ctx, flags.fromFile ?? "", {
        flag,
        declarations,
        allowEmpty: flags.allowEmpty,
      });
      return await putAll(ctx, await settle(), entries);
    }
    const key = given;
    const category = await chooseCategory(ctx, key, { flag, declaration: declarations.get(key) });
    checkValueFlags(ctx, flags, { key, category });
    const request = await settle();
    const variable = await put(request, {
      key,
      category,
      value: await readValue(ctx, flags, { key, category }),
    });
    report(ctx, request, `Set ${category} variable ${key}`);
    ctx.ui.result({ variable }, "");
  },
});
