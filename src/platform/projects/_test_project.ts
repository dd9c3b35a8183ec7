/** A project's record, for tests. @module */
import { type ProjectRecord, projectRecord } from "./project.ts";

/** Returns project `p1`, named `shop`, in workspace `w1`, with the given fields. */
export function testProject(more: Partial<ProjectRecord> = {}): ProjectRecord {
  return projectRecord.parse({
    id: "p1",
    workspaceId: "w1",
    workspaceSlug: "default",
    name: "shop",
    displayName: null,
    gitUrl: null,
    branch: "main",
    framework: null,
    installCommand: null,
    buildCommand: null,
    outputDirectory: null,
    rootDirectory: null,
    nodeVersion: null,
    productionHistory: [],
    createdAt: 0,
    updatedAt: 0,
    ...more,
  });
}
