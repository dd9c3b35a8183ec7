/**
 * @module Finds declared variables that are missing from an environment, and explains how to set
 * them. Pure.
 */
import type { EnvDeclaration, Visibility } from "../../config/project_config.ts";
import { SCOPE_ALL, type Variable, type VariableCategory } from "../../contract/variables.ts";
import { CliError } from "../errors/cli_error.ts";
import type { SuggestedCommands } from "../errors/suggested_commands.ts";

interface MissingVariable {
  readonly key: string;
  readonly environment: string;
  readonly visibility: Visibility;
  /** The command line that sets the variable. */
  readonly command: string;
}

/** A variable that is declared sensitive, but stored as plain. */
interface ExposedVariable {
  readonly key: string;
  readonly scope: string;
}

interface MissingFacts {
  readonly lines: SuggestedCommands;
  readonly environments: readonly string[];
  /** The ID of the project, if `svc.toml` does not contain it. */
  readonly projectId: string | undefined;
}

type Declarations = ReadonlyMap<string, EnvDeclaration>;

/** Returns the category under which variables with this visibility are stored. */
export function categoryOfVisibility(visibility: Visibility): VariableCategory {
  return visibility === "sensitive" ? "secret" : "plain";
}

/**
 * Returns the command line that sets a variable. The command line never contains the value of a
 * secret.
 */
function commandToSet(
  key: string,
  facts: Pick<MissingFacts, "lines" | "projectId"> & {
    readonly category: VariableCategory;
    readonly environment: string;
  },
): string {
  const { lines, category, environment, projectId } = facts;
  const kind = category === "secret" ? "--secret" : "--plain";
  const project = projectId === undefined ? [] : ["--project-id", projectId];
  const words = ["env", "set", key, kind, "--stdin", "--environment", environment, ...project];
  return lines.ofProject(...words);
}

/**
 * Finds required variables that are missing from an environment. The result is sorted by
 * environment, then in the order of declaration.
 */
export function findMissing(
  declarations: Declarations,
  variables: readonly Variable[],
  facts: MissingFacts,
): MissingVariable[] {
  const set = new Set(variables.map(({ key, scope }) => `${scope}/${key}`));
  return facts.environments.flatMap((environment) =>
    [...declarations].flatMap(([key, { visibility, required }]) => {
      if (!required || set.has(`${SCOPE_ALL}/${key}`) || set.has(`${environment}/${key}`)) {
        return [];
      }
      const category = categoryOfVisibility(visibility);
      const command = commandToSet(key, { ...facts, category, environment });
      return [{ key, environment, visibility, command }];
    })
  );
}

/** Finds variables that are declared sensitive but stored as plain. */
export function findExposed(
  declarations: Declarations,
  variables: readonly Variable[],
): ExposedVariable[] {
  return variables
    .filter(({ key, category }) =>
      category === "plain" && declarations.get(key)?.visibility === "sensitive"
    )
    .map(({ key, scope }) => ({ key, scope }));
}

function listByEnvironment(missing: readonly MissingVariable[]): string {
  const environments = [...new Set(missing.map(({ environment }) => environment))];
  return environments.map((environment) => {
    const keys = missing.filter((each) => each.environment === environment).map(({ key }) => key);
    return `\n  ${environment}: ${keys.join(", ")}`;
  }).join("");
}

/**
 * Creates the error that lists the missing variables with their environments, and how to set them.
 * `also` lists alternatives.
 */
export function missingVariables(
  missing: readonly MissingVariable[],
  also: readonly string[] = [],
): CliError {
  const list = listByEnvironment(missing);
  return new CliError("variables_missing", `Variables required by svc.toml are missing:${list}`, {
    next: [...missing.map(({ command }) => command), ...also],
    details: { missing },
  });
}
