/** Sets variables, and decrypts them for the code that runs with them. @module */
import * as z from "zod";
import { SCOPE_ALL, type VariableCategory } from "../../contract/variables.ts";
import type { Clock } from "../../lib/clock.ts";
import { Failure } from "../core/http/mod.ts";
import type { SecretBox } from "../core/secrets/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { type CycleParts, describeCycle } from "./reference_cycles.ts";
import { databasesIn } from "./references.ts";
import type {
  ReferenceResolver,
  ResolvedReference,
  ResolvedVariables,
  Viewer,
} from "./resolver.ts";
import { planSet, variablePlace, type VariableRecord, visibleIn } from "./variable.ts";
import { type VariableStore, type VariablesVersion, versionFor } from "./variable_store.ts";

interface VariableServices {
  readonly variables: VariableStore;
  readonly box: SecretBox;
  readonly resolver: ReferenceResolver;
  readonly projects: CycleParts["projects"];
  readonly now: Clock;
}

/** The variables with which a deployment was created. */
export interface VariableSnapshot {
  readonly values: Readonly<Record<string, string>>;
  /** Names of the values that still contain escapes or references to databases. */
  readonly unfilled: readonly string[];
  /** Names of the databases to which these values refer. */
  readonly databases: readonly string[];
}

/** Thrown if references in variables do not resolve. The message is for the person who deploys. */
export class ReferencesError extends Error {
  override readonly name = "ReferencesError";
}

interface StoredSnapshot extends Pick<VariableSnapshot, "values" | "unfilled"> {
  readonly problem?: string | undefined;
}

/** Parses a stored snapshot: only the values, or also the data for their references. */
const snapshotText: z.ZodType<StoredSnapshot> = z.union([
  z.record(z.string(), z.string()).transform((values) => ({ values, unfilled: [] })),
  z.object({
    version: z.literal(2),
    values: z.record(z.string(), z.string()),
    unfilled: z.array(z.string()),
    problem: z.string().optional(),
  }),
]);

interface WantedValue {
  readonly key: string;
  readonly value: string;
  readonly category: VariableCategory;
  readonly scope: string;
  readonly replaceScope: boolean;
  readonly changeCategory: boolean;
}

const snapshotPlace = (deploymentId: string): string => `deployment/${deploymentId}`;

export class VariableService {
  readonly #services: VariableServices;

  constructor(services: VariableServices) {
    this.#services = services;
  }

  /**
   * Sets a variable. Does nothing if it already has the same value. @throws {Failure} `conflict`,
   * naming the flag that the change requires
   */
  async set(projectId: string, wanted: WantedValue): Promise<VariableRecord> {
    const bytes = new TextEncoder().encode(wanted.value).byteLength;
    const record = await this.#seal(projectId, wanted, bytes);
    let stored = record;
    await this.#services.variables.change(projectId, async (variables) => {
      const plan = planSet(variables, { ...wanted, bytes });
      if (plan.type === "refuse") throw new Failure("conflict", plan.message);
      const same = variables.find((each) => each.key === wanted.key && each.scope === wanted.scope);
      if (
        same !== undefined && plan.remove.length === 0 &&
        await this.#equals(projectId, same, wanted)
      ) {
        stored = same;
        return { type: "none" };
      }
      stored = record;
      return { type: "write", set: [record], remove: plan.remove };
    });
    return stored;
  }

  /** Removes a variable from every scope, or from one. */
  async delete(projectId: string, key: string, scope?: string): Promise<void> {
    await this.#services.variables.change(projectId, (variables) => {
      const remove = variables.filter((variable) =>
        variable.key === key && (scope === undefined || variable.scope === scope)
      );
      if (remove.length === 0) {
        throw new Failure(
          "not_found",
          scope === undefined
            ? `Variable ${key} does not exist`
            : `Variable ${key} has no value for ${
              scope === SCOPE_ALL ? "all environments" : scope
            }`,
        );
      }
      return { type: "write", set: [], remove };
    });
  }

  /** Returns the values that an environment sees, with secrets decrypted. */
  async open(projectId: string, environment: string): Promise<Record<string, string>> {
    const variables = visibleIn(await this.#services.variables.list(projectId), environment);
    const values: Record<string, string> = {};
    for (const variable of variables) values[variable.key] = await this.#value(projectId, variable);
    return values;
  }

  /** Returns the values that an environment sees, with references resolved for a viewer. */
  async openFor(viewer: Viewer): Promise<ResolvedVariables> {
    const { project, environment } = viewer;
    const values = await this.open(project.id, environment);
    const resolved = await this.#services.resolver.resolve(values, viewer);
    const cycle = await this.#describeCycle(project, environment, values);
    return { ...resolved, problem: resolved.problem ?? cycle };
  }

  #describeCycle(
    project: ProjectRecord,
    environment: string,
    values: Readonly<Record<string, string>>,
  ): Promise<string | undefined> {
    const { projects } = this.#services;
    const open = this.open.bind(this);
    return describeCycle({ projects, open }, { project, environment, values });
  }

  /**
   * Checks a value for the environments that will see it. @throws {Failure} `conflict` if its
   * references would refer back to the project
   */
  async refuseCycle(
    project: ProjectRecord,
    { key, value, environments }: Pick<WantedValue, "key" | "value"> & {
      readonly environments: readonly string[];
    },
  ): Promise<void> {
    for (const environment of environments) {
      const cycle = await this.#describeCycle(project, environment, { [key]: value });
      if (cycle !== undefined) throw new Failure("conflict", cycle);
    }
  }

  /**
   * Seals the variables that an environment sees, for a deployment. `problem` says why references
   * fail.
   */
  async takeSnapshot({ id, project, branch, environment, uniqueLabel }: {
    readonly id: string;
    readonly project: ProjectRecord;
    readonly branch: string;
    readonly environment: string;
    readonly uniqueLabel: string;
  }): Promise<{
    readonly version: VariablesVersion;
    readonly references: readonly ResolvedReference[];
    readonly problem: string | undefined;
  }> {
    const { variables, box, resolver } = this.#services;
    const versions = await variables.versions(project.id);
    const self = resolver.selfOf({ projectName: project.name, environment, uniqueLabel });
    const viewer = { project, environment, branch, self };
    const { values, unfilled, references, problem } = await this.openFor(viewer);
    const isPlain = unfilled.length === 0 && problem === undefined;
    if (!isPlain || Object.keys(values).length > 0) {
      const text = JSON.stringify(isPlain ? values : { version: 2, values, unfilled, problem });
      await variables.saveSnapshot(id, await box.seal(text, snapshotPlace(id)));
    }
    return { version: versionFor(versions, environment), references, problem };
  }

  /** Removes a deployment's snapshot. */
  removeSnapshot(deploymentId: string): Promise<void> {
    return this.#services.variables.removeSnapshot(deploymentId);
  }

  /**
   * Returns the variables with which a deployment was created, as text that names no secret
   * database.
   */
  async snapshotValues(deploymentId: string): Promise<Readonly<Record<string, string>>> {
    return (await this.#readSnapshot(deploymentId)).values;
  }

  /** Returns a function that finds a deployment's references that now resolve to something else. */
  changedReferences(project: ProjectRecord): (deployment: {
    readonly environment: string;
    readonly branch: string;
    readonly uniqueLabel: string;
    readonly references?: readonly ResolvedReference[] | undefined;
  }) => Promise<ReadonlySet<string>> {
    const { resolver } = this.#services;
    const projectName = project.name;
    return async ({ environment, branch, uniqueLabel, references = [] }) => {
      const self = resolver.selfOf({ projectName, environment, uniqueLabel });
      return await resolver.changed(references, { project, environment, branch, self });
    };
  }

  /** @throws {ReferencesError} if references did not resolve */
  async openSnapshot(deploymentId: string): Promise<VariableSnapshot> {
    const { values, unfilled, problem } = await this.#readSnapshot(deploymentId);
    if (problem !== undefined) throw new ReferencesError(problem);
    return { values, unfilled, databases: databasesIn(unfilled.map((name) => values[name] ?? "")) };
  }

  async #readSnapshot(deploymentId: string): Promise<StoredSnapshot> {
    const { variables, box } = this.#services;
    const sealed = await variables.findSnapshot(deploymentId);
    if (sealed === undefined) return { values: {}, unfilled: [] };
    return snapshotText.parse(JSON.parse(await box.open(sealed, snapshotPlace(deploymentId))));
  }

  async #seal(
    projectId: string,
    wanted: WantedValue,
    bytes: number,
  ): Promise<VariableRecord> {
    const { key, scope, category, value } = wanted;
    const base = { key, scope, category, bytes, updatedAt: this.#services.now() };
    if (category === "plain") return { ...base, value };
    const sealed = await this.#services.box.seal(value, variablePlace(projectId, { key, scope }));
    return { ...base, sealed };
  }

  async #value(projectId: string, variable: VariableRecord): Promise<string> {
    if (variable.sealed === undefined) return variable.value ?? "";
    return await this.#services.box.open(variable.sealed, variablePlace(projectId, variable));
  }

  async #equals(
    projectId: string,
    variable: VariableRecord,
    wanted: WantedValue,
  ): Promise<boolean> {
    return variable.category === wanted.category &&
      await this.#value(projectId, variable) === wanted.value;
  }
}

/**
 * Reseals everything with the current key, while no platform is running. Returns the number of
 * resealed records.
 */
export async function resealVariables(
  { variables, box }: Pick<VariableServices, "variables" | "box">,
): Promise<number> {
  let count = 0;
  for await (const { projectId, variable } of variables.all()) {
    const { sealed } = variable;
    if (sealed === undefined) continue;
    const again = await box.renew(sealed, variablePlace(projectId, variable));
    if (again === sealed) continue;
    await variables.rewrite(projectId, { ...variable, sealed: again });
    count++;
  }
  for await (const { deploymentId, sealed } of variables.allSnapshots()) {
    const again = await box.renew(sealed, snapshotPlace(deploymentId));
    if (again === sealed) continue;
    await variables.saveSnapshot(deploymentId, again);
    count++;
  }
  return count;
}
