/** Resolves references in variables, within the project's workspace. @module */
import { ENVIRONMENT_PREVIEW, ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { MAX_ENVIRONMENT_BYTES } from "../../contract/variables.ts";
import { type Caller, reachesProject } from "../core/access/mod.ts";
import { type Addresses, branchLabel } from "../core/addresses.ts";
import { Failure, requirePermission } from "../core/http/mod.ts";
import { environmentLabel, ownLabel } from "../environments/mod.ts";
import type { ProjectRecord, ProjectStore } from "../projects/mod.ts";
import { hasReferences, parseValue, type Reference } from "./references.ts";

/** Maximum number of names that a message lists. */
const LISTED = 20;

/** The project and environment of the variable with the reference. */
export interface Viewer {
  readonly project: ProjectRecord;
  readonly environment: string;
  /** The git branch; `undefined` if unknown. */
  readonly branch: string | undefined;
  /** The viewer's URL. */
  readonly self: string;
}

/**
 * A reference in a deployment's variables, and the URL to which it resolved; `null` for a database.
 */
export interface ResolvedReference {
  readonly variable: string;
  readonly reference: string;
  readonly value: string | null;
}

/** Variables with their URLs filled in. Databases are filled in where the values are used. */
export interface ResolvedVariables {
  readonly values: Readonly<Record<string, string>>;
  /** Names of the variables that still contain escapes or references to databases. */
  readonly unfilled: readonly string[];
  readonly references: readonly ResolvedReference[];
  /** Why the variables cannot be used; `undefined` if they can. */
  readonly problem: string | undefined;
}

export interface ResolverParts {
  readonly projects: Pick<ProjectStore, "findByName" | "list">;
  readonly addresses: Pick<Addresses, "url">;
  /** Returns the project and the environment of the live deployment that a host label serves. */
  shownAt(
    label: string,
  ): Promise<{ readonly projectId: string; readonly environment: string } | undefined>;
  /**
   * Returns a project's databases, with the environments that can use each of them; `null` for all
   * environments.
   */
  databasesOf(projectId: string): Promise<readonly KnownDatabase[]>;
}

interface KnownDatabase {
  readonly name: string;
  readonly environments: readonly string[] | null;
}

const list = (names: readonly string[]): string =>
  names.length === 0
    ? "none"
    : names.slice(0, LISTED).join(", ") + (names.length > LISTED ? ", …" : "");

export class ReferenceResolver {
  readonly #parts: ResolverParts;

  constructor(parts: ResolverParts) {
    this.#parts = parts;
  }

  /**
   * Returns the URL of a deployment: its own for a preview, and otherwise that of its environment.
   */
  selfOf(deployment: Parameters<typeof ownLabel>[0]): string {
    return this.#parts.addresses.url(ownLabel(deployment));
  }

  /** Returns the URL of an environment, or of a branch's previews, if there is no deployment. */
  urlOf(
    { name }: ProjectRecord,
    { environment, branch }: Omit<Viewer, "project" | "self">,
  ): string {
    if (environment !== ENVIRONMENT_PREVIEW) {
      return this.#parts.addresses.url(environmentLabel(name, environment));
    }
    return this.#parts.addresses.url(branch === undefined ? name : branchLabel(name, branch));
  }

  /**
   * @throws {Failure} `conflict` for an unknown or unreachable reference. The message lists the
   * available references.
   */
  async check(caller: Caller, project: ProjectRecord, { key, value }: {
    readonly key: string;
    readonly value: string;
  }): Promise<void> {
    if (!hasReferences(value)) return;
    const parsed = parseValue(value);
    if (!parsed.ok) throw new Failure("conflict", `Variable ${key}: ${parsed.message}`);
    for (const part of parsed.parts) {
      if (typeof part === "string") continue;
      const problem = await this.#unknownTo(caller, project, part.to);
      if (problem === undefined) continue;
      throw new Failure(
        "conflict",
        `Variable ${key} of project "${project.name}" refers to \${{${part.words}}}: ${problem}`,
      );
    }
  }

  async #unknownTo(
    caller: Caller,
    project: ProjectRecord,
    to: Reference,
  ): Promise<string | undefined> {
    const { projects } = this.#parts;
    if (to.type === "database") {
      // Without this check, a key that can set variables and deploy could read the connection
      // string.
      requirePermission(caller, "everything");
      return await this.#unknownDatabase(project, to.name);
    }
    if (to.type === "self") return undefined;
    const found = await projects.findByName(project.workspaceId, to.name);
    if (found !== undefined && reachesProject(caller, found.id)) return undefined;
    const { items } = await projects.list(project.workspaceId, {
      limit: LISTED + 1,
      shows: ({ id }) => reachesProject(caller, id),
    });
    return `project "${to.name}" does not exist in workspace "${project.workspaceSlug}". ` +
      `Projects: ${list(items.map(({ name }) => name))}`;
  }

  async #unknownDatabase(project: ProjectRecord, wanted: string): Promise<string | undefined> {
    const names = (await this.#parts.databasesOf(project.id)).map(({ name }) => name);
    if (names.includes(wanted)) return undefined;
    return `the project has no database "${wanted}". Its databases: ${list(names)}`;
  }

  /** Resolves the values that an environment sees. */
  async resolve(
    values: Readonly<Record<string, string>>,
    viewer: Viewer,
  ): Promise<ResolvedVariables> {
    const resolved: Record<string, string> = {};
    const unfilled: string[] = [];
    const references: ResolvedReference[] = [];
    const problems: string[] = [];
    for (const [variable, value] of Object.entries(values)) {
      if (!hasReferences(value)) {
        resolved[variable] = value;
        continue;
      }
      const filled = await this.#fill(value, viewer);
      if ("problem" in filled) {
        problems.push(
          `Variable ${variable} of project "${viewer.project.name}" ${filled.problem}`,
        );
        continue;
      }
      resolved[variable] = filled.value;
      if (hasReferences(filled.value)) unfilled.push(variable);
      references.push(...filled.references.map((each) => ({ variable, ...each })));
    }
    const size = Object.entries(resolved).reduce((sum, each) => sum + each.join("").length, 0);
    if (references.length > 0 && size > MAX_ENVIRONMENT_BYTES) {
      problems.push(
        `The variables of one environment can total at most ${MAX_ENVIRONMENT_BYTES} ` +
          `bytes. With their references filled in, they total ${size}`,
      );
    }
    const problem = problems.length === 0 ? undefined : problems.join("\n");
    return { values: resolved, unfilled, references, problem };
  }

  /** Replaces references to URLs in a value. Database references and escapes stay unchanged. */
  async #fill(value: string, viewer: Viewer): Promise<
    | { readonly problem: string }
    | {
      readonly value: string;
      readonly references: readonly Omit<ResolvedReference, "variable">[];
    }
  > {
    const parsed = parseValue(value);
    if (!parsed.ok) return { problem: `cannot be used: ${parsed.message}` };
    const references: Omit<ResolvedReference, "variable">[] = [];
    let text = "";
    for (const part of parsed.parts) {
      if (typeof part === "string") {
        text += part === "${{" ? "$${{" : part;
        continue;
      }
      const found = await this.find(part.to, viewer);
      if (found === undefined) {
        const problem = part.to.type === "database"
          ? await this.#unknownDatabase(viewer.project, part.to.name) ??
            `the database is not available in environment "${viewer.environment}"`
          : `project "${part.words.split(".")[0]}" does not exist in workspace ` +
            `"${viewer.project.workspaceSlug}"`;
        return { problem: `refers to \${{${part.words}}}: ${problem}` };
      }
      text += found ?? `\${{${part.words}}}`;
      references.push({ reference: part.words, value: found });
    }
    return { value: text, references };
  }

  /**
   * Returns the URL to which a reference currently resolves; `null` for a database, `undefined` if
   * the reference does not resolve.
   */
  async find(to: Reference, viewer: Viewer): Promise<string | null | undefined> {
    const { project, environment, self } = viewer;
    if (to.type === "self") return self;
    if (to.type === "database") {
      const known = (await this.#parts.databasesOf(project.id)).find(({ name }) =>
        name === to.name
      );
      const canUse = known !== undefined &&
        (known.environments === null || known.environments.includes(environment));
      return canUse ? null : undefined;
    }
    if (to.name === project.name) return self;
    const other = await this.#parts.projects.findByName(project.workspaceId, to.name);
    return other === undefined ? undefined : await this.#urlOf(other, viewer);
  }

  /** Returns the URL of another project, as seen from this environment and branch. */
  async #urlOf({ id, name }: ProjectRecord, { environment, branch }: Viewer): Promise<string> {
    const { addresses, shownAt } = this.#parts;
    const labels = environment === ENVIRONMENT_PRODUCTION
      ? []
      : environment !== ENVIRONMENT_PREVIEW
      ? [environmentLabel(name, environment)]
      : branch === undefined
      ? []
      : [branchLabel(name, branch), branchLabel(name, branch, { taken: true })];
    for (const label of labels) {
      const shown = await shownAt(label);
      if (shown?.projectId === id && shown.environment === environment) return addresses.url(label);
    }
    return addresses.url(name);
  }

  /** Finds a deployment's references that now resolve to something else, or no longer resolve. */
  async changed(
    references: readonly ResolvedReference[],
    viewer: Viewer,
  ): Promise<ReadonlySet<string>> {
    const changed = new Set<string>();
    for (const { reference, value } of references) {
      const parsed = parseValue(`\${{${reference}}}`);
      const part = parsed.ok ? parsed.parts[0] : undefined;
      if (part === undefined || typeof part === "string") continue;
      if (await this.find(part.to, viewer) !== value) changed.add(reference);
    }
    return changed;
  }
}

/** Returns a snapshot's values, with connection strings filled in by database name. */
export function fillSnapshot(
  { values, unfilled }: Pick<ResolvedVariables, "values" | "unfilled">,
  connections: Readonly<Record<string, string>>,
): Record<string, string> {
  const complete = unfilled.map((name) => [name, fillDatabases(values[name] ?? "", connections)]);
  return { ...values, ...Object.fromEntries(complete) };
}

/**
 * Fills in connection strings, and removes escapes. The connection string of a missing database is
 * empty.
 */
function fillDatabases(
  value: string,
  connections: Readonly<Record<string, string>>,
): string {
  const parsed = parseValue(value);
  if (!parsed.ok) return value;
  return parsed.parts.map((part) =>
    typeof part === "string"
      ? part
      : part.to.type === "database"
      ? connections[part.to.name] ?? ""
      : ""
  ).join("");
}
