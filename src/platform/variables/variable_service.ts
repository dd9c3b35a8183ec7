/**
 * Sets variables, and decrypts them for the code that runs with them.
 *
 * @module
 */
import * as z from "zod";
import type { VariableCategory } from "../../contract/variables.ts";
import type { Clock } from "../../lib/clock.ts";
import { Failure } from "../core/http/mod.ts";
import type { SecretBox } from "../core/secrets/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { databasesIn } from "./references.ts";
import type {
  ReferenceResolver,
  ResolvedReference,
  ResolvedVariables,
  Viewer,
} from "./resolver.ts";
import { planSet, variablePlace, type VariableRecord, visibleIn } from "./variable.ts";
import { type VariableStore, type VariablesVersion, versionFor } from "./variable_store.ts";

export interface VariableServices {
  readonly variables: VariableStore;
  readonly box: SecretBox;
  readonly resolver: ReferenceResolver;
  readonly now: Clock;
}

/** The variables that a deployment was created with. */
export interface VariableSnapshot {
  readonly values: Readonly<Record<string, string>>;
  /** Names of the values that still have references to databases, and escapes. */
  readonly unfilled: readonly string[];
  /** Names of the databases that they refer to. */
  readonly databases: readonly string[];
}

/** References of variables lead nowhere; the message is for the person who deploys. */
export class ReferencesError extends Error {
  override readonly name = "ReferencesError";
}

interface StoredSnapshot extends Pick<VariableSnapshot, "values" | "unfilled"> {
  readonly problem?: string | undefined;
}

/** A snapshot as text: the values alone, or with what their references need. */
const snapshotText: z.ZodType<StoredSnapshot> = z.union([
  z.record(z.string(), z.string()).transform((values) => ({ values, unfilled: [] })),
  z.object({
    version: z.literal(2),
    values: z.record(z.string(), z.string()),
    unfilled: z.array(z.string()),
    problem: z.string().optional(),
  }),
]);

export interface WantedValue {
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
   * Sets a variable. One that already has the value is left unchanged.
   *
   * @throws {Failure} `conflict` if the change needs a flag; the message names
   * it.
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
        const where = scope === undefined ? "" : ` in ${scope}`;
        throw new Failure("not_found", `Variable ${key} does not exist${where}`);
      }
      return { type: "write", set: [], remove };
    });
  }

  /** The values that an environment sees, with secrets decrypted. */
  async open(projectId: string, environment: string): Promise<Record<string, string>> {
    const variables = visibleIn(await this.#services.variables.list(projectId), environment);
    const values: Record<string, string> = {};
    for (const variable of variables) values[variable.key] = await this.#value(projectId, variable);
    return values;
  }

  /** The values that an environment sees, as a viewer resolves their references. */
  async openFor(viewer: Viewer): Promise<ResolvedVariables> {
    const values = await this.open(viewer.project.id, viewer.environment);
    return await this.#services.resolver.resolve(values, viewer);
  }

  /**
   * Stores a snapshot of what its environment sees now for a deployment. Returns the version, what
   * the references lead to, and why they do not, if they do not.
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

  /** Removes the snapshot of a deployment. */
  removeSnapshot(deploymentId: string): Promise<void> {
    return this.#services.variables.removeSnapshot(deploymentId);
  }

  /** The variables that a deployment was created with, as text that names no secret database. */
  async snapshotValues(deploymentId: string): Promise<Readonly<Record<string, string>>> {
    return (await this.#readSnapshot(deploymentId)).values;
  }

  /** Finds the references of a project's deployments that lead elsewhere now. */
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

  /**
   * The variables that a deployment was created with.
   *
   * @throws {ReferencesError} if their references led nowhere
   */
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
 * Reseals everything that is not sealed with the current key, while no platform runs. Returns
 * how many values it resealed.
 */
export async function resealVariables(
  { variables, box }: Pick<VariableServices, "variables" | "box">,
): Promise<number> {
  let count = 0;
  for await (const { projectId, variable } of variables.all()) {
    const { sealed } = variable;
    if (sealed === undefined || box.isCurrent(sealed)) continue;
    const place = variablePlace(projectId, variable);
    const again = await box.seal(await box.open(sealed, place), place);
    await variables.rewrite(projectId, { ...variable, sealed: again });
    count++;
  }
  for await (const { deploymentId, sealed } of variables.allSnapshots()) {
    if (box.isCurrent(sealed)) continue;
    const place = snapshotPlace(deploymentId);
    const again = await box.seal(await box.open(sealed, place), place);
    await variables.saveSnapshot(deploymentId, again);
    count++;
  }
  return count;
}
