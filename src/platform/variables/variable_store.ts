/** Variables in Deno KV. The version of a scope shows whether a snapshot is current. @module */
import * as z from "zod";
import { SCOPE_ALL } from "../../contract/variables.ts";
import { commitWithRetries, keys, readAll, readRecord } from "../core/store/mod.ts";
import { type SealedSecret, sealedSecret } from "../core/secrets/mod.ts";
import { type VariableRecord, variableRecord } from "./variable.ts";
import type { RecordStore } from "../../store/mod.ts";

export type Change =
  | { readonly type: "none" }
  | {
    readonly type: "write";
    readonly set: readonly VariableRecord[];
    readonly remove: readonly VariableRecord[];
  };

/** A version that identifies the state of all variables that an environment sees. */
export type VariablesVersion = string;

export class VariableStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async list(projectId: string): Promise<VariableRecord[]> {
    const variables: VariableRecord[] = [];
    for await (const { value } of readAll(this.#kv, keys.variables(projectId), variableRecord)) {
      variables.push(value);
    }
    return variables;
  }

  /** Decides on a change based on the current variables, and writes it, in one commit. */
  async change(
    projectId: string,
    decide: (variables: readonly VariableRecord[]) => Promise<Change> | Change,
  ): Promise<void> {
    const guard = keys.variablesGuard(projectId);
    await commitWithRetries(this.#kv, [guard], async (operation) => {
      const { versionstamp } = await this.#kv.get(guard);
      const change = await decide(await this.list(projectId));
      if (change.type === "none") return undefined;
      operation.check({ key: guard, versionstamp }).set(guard, true);
      for (const variable of change.remove) {
        operation.delete(keys.variable(projectId, variable));
      }
      for (const variable of change.set) {
        operation.set(keys.variable(projectId, variable), variable);
      }
      for (const { scope } of [...change.set, ...change.remove]) {
        operation.set(keys.variablesVersion(projectId, scope), true);
      }
    });
  }

  /** Removes all values in a scope. */
  deleteScope(projectId: string, scope: string): Promise<void> {
    return this.change(projectId, (variables) => {
      const remove = variables.filter((variable) => variable.scope === scope);
      return remove.length === 0 ? { type: "none" } : { type: "write", set: [], remove };
    });
  }

  /**
   * Returns the versions of all scopes, from which `versionFor()` selects those of one environment.
   */
  async versions(projectId: string): Promise<ReadonlyMap<string, string>> {
    const versions = new Map<string, string>();
    for await (const entry of this.#kv.list({ prefix: keys.variablesVersions(projectId) })) {
      versions.set(String(entry.key.at(-1)), entry.versionstamp);
    }
    return versions;
  }

  /** Writes a resealed variable whose value stays the same. No platform may run in the meantime. */
  async rewrite(projectId: string, variable: VariableRecord): Promise<void> {
    await this.#kv.set(keys.variable(projectId, variable), variable);
  }

  /** Stores a deployment's sealed snapshot. */
  async saveSnapshot(deploymentId: string, sealed: SealedSecret): Promise<void> {
    await this.#kv.set(keys.deploymentVariables(deploymentId), sealed);
  }

  async removeSnapshot(deploymentId: string): Promise<void> {
    await this.#kv.delete(keys.deploymentVariables(deploymentId));
  }

  async findSnapshot(deploymentId: string): Promise<SealedSecret | undefined> {
    const key = keys.deploymentVariables(deploymentId);
    return (await readRecord(this.#kv, key, sealedSecret))?.value;
  }

  /** Lists every variable on the platform, to change the encryption key. */
  async *all(): AsyncGenerator<{ readonly projectId: string; readonly variable: VariableRecord }> {
    for await (const { key, value } of readAll(this.#kv, keys.allVariables(), variableRecord)) {
      yield { projectId: z.string().parse(key[1]), variable: value };
    }
  }

  /** Lists every snapshot on the platform, to change the encryption key. */
  async *allSnapshots(): AsyncGenerator<
    { readonly deploymentId: string; readonly sealed: SealedSecret }
  > {
    const prefix = keys.allDeploymentVariables();
    for await (const { key, value } of readAll(this.#kv, prefix, sealedSecret)) {
      yield { deploymentId: z.string().parse(key[1]), sealed: value };
    }
  }
}

/** Returns the version of the variables that an environment sees. */
export function versionFor(
  versions: ReadonlyMap<string, string>,
  environment: string,
): VariablesVersion {
  return `${versions.get(SCOPE_ALL) ?? ""}.${versions.get(environment) ?? ""}`;
}
