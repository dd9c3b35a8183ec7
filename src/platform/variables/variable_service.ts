/**
 * Sets variables, and decrypts them for the code that runs with them.
 *
 * @module
 */
import type { VariableCategory } from "../../contract/variables.ts";
import type { Clock } from "../../lib/clock.ts";
import { Failure } from "../core/http/mod.ts";
import type { SecretBox } from "../core/secrets/mod.ts";
import { planSet, variablePlace, type VariableRecord, visibleIn } from "./variable.ts";
import { type VariableStore, type VariablesVersion, versionFor } from "./variable_store.ts";

export interface VariableServices {
  readonly variables: VariableStore;
  readonly box: SecretBox;
  readonly now: Clock;
}

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

  /** Stores a snapshot of what its environment sees now for a deployment; returns the version. */
  async takeSnapshot(deployment: {
    readonly id: string;
    readonly projectId: string;
    readonly environment: string;
  }): Promise<VariablesVersion> {
    const { variables, box } = this.#services;
    const versions = await variables.versions(deployment.projectId);
    const values = await this.open(deployment.projectId, deployment.environment);
    if (Object.keys(values).length > 0) {
      const sealed = await box.seal(JSON.stringify(values), snapshotPlace(deployment.id));
      await variables.saveSnapshot(deployment.id, sealed);
    }
    return versionFor(versions, deployment.environment);
  }

  /** Removes the snapshot of a deployment. */
  removeSnapshot(deploymentId: string): Promise<void> {
    return this.#services.variables.removeSnapshot(deploymentId);
  }

  /** The variables that a deployment was created with. */
  async openSnapshot(deploymentId: string): Promise<Record<string, string>> {
    const sealed = await this.#services.variables.findSnapshot(deploymentId);
    if (sealed === undefined) return {};
    return JSON.parse(await this.#services.box.open(sealed, snapshotPlace(deploymentId)));
  }

  /**
   * Reseals everything that is not sealed with the current key, while no
   * platform runs. Returns how many values it resealed.
   */
  async reseal(): Promise<number> {
    const { variables, box } = this.#services;
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
