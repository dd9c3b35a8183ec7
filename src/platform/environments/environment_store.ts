/**
 * A project's own environments in Deno KV. The commit that removes an environment's record leaves a
 * tombstone. The tombstone exists until the environment's other data has been removed, so that the
 * deletion can continue after a crash.
 *
 * @module
 */
import * as z from "zod";
import { BUILT_IN_ENVIRONMENTS } from "../../contract/environment_names.ts";
import { isUuid } from "../../lib/ids.ts";
import type { DeletedEnvironment } from "../core/capability.ts";
import {
  keys,
  type Page,
  type PageRange,
  readAll,
  readPage,
  readRecord,
} from "../core/store/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { environmentLabel, type EnvironmentRecord, environmentRecord } from "./environment.ts";
import type { RecordStore } from "../../store/mod.ts";
import { Failure } from "../core/http/mod.ts";

/**
 * Returns the name of an environment that is given by name or ID. The failure lists the
 * environments that exist.
 */
export async function findEnvironmentName(
  environments: EnvironmentStore,
  project: ProjectRecord,
  reference: string,
): Promise<string> {
  const name = await environments.findName(project.id, reference);
  if (name !== undefined) return name;
  const names = await environments.names(project.id);
  throw new Failure(
    "not_found",
    `Environment "${reference}" does not exist in project "${project.name}". ` +
      `Available: ${names.join(", ")}`,
  );
}

const tombstone = z.object({ projectName: z.string() });

/** Lists environments whose deletion has started but not finished. */
export async function* deletedEnvironments(kv: RecordStore): AsyncGenerator<DeletedEnvironment> {
  for await (const { key, value } of readAll(kv, keys.allEnvironmentDeletions(), tombstone)) {
    yield { projectId: String(key[1]), projectName: value.projectName, name: String(key[2]) };
  }
}

/** Removes the tombstone once nothing is left of the environment. */
export async function finishEnvironmentDeletion(
  kv: RecordStore,
  { projectId, name }: DeletedEnvironment,
): Promise<void> {
  await kv.delete(keys.environmentDeletion(projectId, name));
}

export class EnvironmentStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /**
   * Stores a new environment and its host label. Returns `false` if either is taken, or if an
   * environment with the same name is still being deleted.
   */
  async create(project: ProjectRecord, environment: EnvironmentRecord): Promise<boolean> {
    const name = keys.environmentByName(project.id, environment.name);
    const host = keys.host(environmentLabel(project.name, environment.name));
    const deletion = keys.environmentDeletion(project.id, environment.name);
    const commit = await this.#kv.atomic()
      .check(...[name, host, deletion].map((key) => ({ key, versionstamp: null })))
      .set(name, environment.id)
      .set(keys.environment(project.id, environment.id), environment)
      .set(host, { projectId: project.id, deploymentId: null })
      .commit();
    return commit.ok;
  }

  list(
    projectId: string,
    page: PageRange,
  ): Promise<Page<EnvironmentRecord>> {
    return readPage(this.#kv, keys.environments(projectId), { schema: environmentRecord, ...page });
  }

  /** Finds one of the project's own environments by ID or name. */
  async find(projectId: string, reference: string): Promise<EnvironmentRecord | undefined> {
    const id = isUuid(reference)
      ? reference
      : (await readRecord(this.#kv, keys.environmentByName(projectId, reference), z.string()))
        ?.value;
    if (id === undefined) return undefined;
    return (await readRecord(this.#kv, keys.environment(projectId, id), environmentRecord))?.value;
  }

  /**
   * Returns the name of a built-in environment, or of one of the project's own; `undefined` if
   * there is no such environment.
   */
  async findName(projectId: string, reference: string): Promise<string | undefined> {
    if (BUILT_IN_ENVIRONMENTS.includes(reference)) return reference;
    return (await this.find(projectId, reference))?.name;
  }

  async names(projectId: string): Promise<string[]> {
    const names = [...BUILT_IN_ENVIRONMENTS];
    const own = readAll(this.#kv, keys.environments(projectId), environmentRecord);
    for await (const { value } of own) names.push(value.name);
    return names;
  }

  /** Returns whether the data of a deleted environment is still being removed. */
  async isBeingDeleted(projectId: string, name: string): Promise<boolean> {
    return (await this.#kv.get(keys.environmentDeletion(projectId, name))).versionstamp !== null;
  }

  /** Removes an environment from the store and leaves a tombstone, in one commit. */
  async delete(project: ProjectRecord, environment: EnvironmentRecord): Promise<void> {
    await this.#kv.atomic()
      .set(keys.environmentDeletion(project.id, environment.name), { projectName: project.name })
      .delete(keys.environment(project.id, environment.id))
      .delete(keys.environmentByName(project.id, environment.name))
      .delete(keys.host(environmentLabel(project.name, environment.name)))
      .commit();
  }
}
