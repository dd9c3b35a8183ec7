/** Projects in Deno KV. Names are host labels, so they are unique on the platform. @module */
import { isUuid } from "../../lib/ids.ts";
import { hostRecord } from "./host_record.ts";
import { keys, type Page, pageOf, type PageRange, RecordType, Table } from "../core/store/mod.ts";
import type { Protection } from "../../lib/protection.ts";
import { newPreviewRecord } from "./preview_record.ts";
import { type ProjectRecord, projectRecord } from "./project.ts";
import type { RecordStore } from "../../store/mod.ts";

export const projects = new RecordType({
  root: keys.allProjects(),
  schema: projectRecord,
  parts: ({ workspaceId, id }) => [workspaceId, id],
  indices: {
    name: {
      entries: ({ name }) => [keys.projectByName(name)],
      holds: ["workspaceId", "projectId"],
      unique: true,
    },
    autoRedeploy: {
      entries: ({ workspaceId, id, autoRedeploy }) =>
        autoRedeploy === true ? [keys.autoRedeploying(workspaceId, id)] : [],
      holds: ["workspaceId", "projectId"],
    },
  },
});

export class ProjectStore
  extends Table<ProjectRecord, readonly [string, string], "name" | "autoRedeploy"> {
  constructor(kv: RecordStore) {
    super(kv, projects);
  }

  /** Stores a project, its label and its preview access. Returns `false` if the name is taken. */
  async create(project: ProjectRecord, protection: Protection = "off"): Promise<boolean> {
    const host = keys.host(project.name);
    const operation = this.kv.atomic()
      .check({ key: host, versionstamp: null })
      .set(keys.previewAccess(project.id), newPreviewRecord(protection))
      .set(host, hostRecord.parse({ projectId: project.id, deploymentId: null }));
    projects.insert(operation, project);
    return (await operation.commit()).ok;
  }

  /** Finds one of the workspace's projects by name. Never finds projects in other workspaces. */
  async findByName(workspaceId: string, name: string): Promise<ProjectRecord | undefined> {
    const project = await this.findBy("name", keys.projectByName(name));
    return project?.workspaceId === workspaceId ? project : undefined;
  }

  /** Finds one of the workspace's projects by ID or name. */
  async findEither(workspaceId: string, reference: string): Promise<ProjectRecord | undefined> {
    return isUuid(reference)
      ? await this.find(workspaceId, reference)
      : await this.findByName(workspaceId, reference);
  }

  /** Lists the projects that are redeployed when a URL in their variables changes. */
  autoRedeploying(): AsyncGenerator<ProjectRecord> {
    return this.allBy("autoRedeploy", keys.allAutoRedeploying());
  }

  /** Finds the project with a name, in any workspace. */
  async byName(name: string): Promise<ProjectRecord | undefined> {
    return await this.findBy("name", keys.projectByName(name));
  }

  /**
   * Returns a page of the projects with the given IDs, newest first. Leaves out deleted projects
   * and projects in other workspaces.
   */
  async listOf(
    workspaceId: string,
    ids: readonly string[],
    page: PageRange,
  ): Promise<Page<ProjectRecord>> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.find(workspaceId, id)));
    return pageOf(found.filter((project) => project !== undefined), page);
  }
}
