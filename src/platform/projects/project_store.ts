/**
 * Projects in Deno KV. A project's name is its host label, so it is unique on
 * the platform.
 *
 * @module
 */
import * as z from "zod";
import { hostRecord } from "./host_record.ts";
import {
  commitWithRetries,
  keys,
  type Page,
  readAll,
  readPage,
  readRecord,
} from "../core/store/mod.ts";
import { type ProjectRecord, projectRecord } from "./project.ts";
import type { Lease, RecordStore } from "../../store/mod.ts";

const nameRecord = z.object({ workspaceId: z.string(), projectId: z.string() });

export class ProjectStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Stores a new project and reserves its host label; false if the name is taken. */
  async create(project: ProjectRecord): Promise<boolean> {
    const name = keys.projectByName(project.name);
    const host = keys.host(project.name);
    const result = await this.#kv.atomic()
      .check({ key: name, versionstamp: null }, { key: host, versionstamp: null })
      .set(keys.project(project.workspaceId, project.id), project)
      .set(name, { workspaceId: project.workspaceId, projectId: project.id })
      .set(host, hostRecord.parse({ projectId: project.id, deploymentId: null }))
      .commit();
    return result.ok;
  }

  async find(workspaceId: string, id: string): Promise<ProjectRecord | undefined> {
    return (await readRecord(this.#kv, keys.project(workspaceId, id), projectRecord))?.value;
  }

  /** Finds a project of the workspace by name; other workspaces' stay unseen. */
  async findByName(workspaceId: string, name: string): Promise<ProjectRecord | undefined> {
    const owner = (await readRecord(this.#kv, keys.projectByName(name), nameRecord))?.value;
    if (owner === undefined || owner.workspaceId !== workspaceId) return undefined;
    return this.find(workspaceId, owner.projectId);
  }

  /** The project that has a name, in whatever workspace. */
  async idByName(name: string): Promise<string | undefined> {
    return (await readRecord(this.#kv, keys.projectByName(name), nameRecord))?.value.projectId;
  }

  list(
    workspaceId: string,
    page: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<ProjectRecord>> {
    return readPage(this.#kv, keys.projects(workspaceId), { schema: projectRecord, ...page });
  }

  /** A page of some of the workspace's projects, by id, newest first; those that are gone are left out. */
  async listOf(
    workspaceId: string,
    ids: readonly string[],
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<Page<ProjectRecord>> {
    const wanted = [...new Set(ids)].filter((id) => cursor === undefined || id < cursor);
    const found = await Promise.all(wanted.map((id) => this.find(workspaceId, id)));
    const projects = found.filter((project) => project !== undefined)
      .sort((one, other) => one.id < other.id ? 1 : -1);
    const items = projects.slice(0, limit);
    return { items, nextCursor: projects.length > limit ? items.at(-1)!.id : null };
  }

  async *all(): AsyncGenerator<ProjectRecord> {
    for await (const { value } of readAll(this.#kv, keys.allProjects(), projectRecord)) yield value;
  }

  /** Changes a project; `undefined` if it is gone. */
  async update(
    workspaceId: string,
    id: string,
    change: (project: ProjectRecord) => ProjectRecord,
    lease?: Lease,
  ): Promise<ProjectRecord | undefined> {
    const key = keys.project(workspaceId, id);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, projectRecord);
      const operation = this.#kv.atomic();
      if (current === undefined) return { operation, result: undefined };
      const result = change(current.value);
      operation.check({ key, versionstamp: current.versionstamp }).set(key, result);
      return { operation, result };
    }, { lease });
    return result;
  }
}
