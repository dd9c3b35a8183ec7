/**
 * A project as people read it.
 *
 * @module
 */
import type { Project } from "../contract/mod.ts";
import { formatFacts } from "./table.ts";

/** All facts of a project that are set. */
export function formatProject(project: Project): string {
  return formatFacts([
    ["name", project.name],
    ["id", project.id],
    ["display name", project.displayName],
    ["workspace", project.workspace],
    ["url", project.url],
    ["live deployment", project.productionDeploymentId ?? "none yet"],
    ["git url", project.gitUrl],
    ["git credentials", project.gitCredentials],
    ["branch", project.branch],
    ["framework", project.framework],
    ["install command", project.installCommand],
    ["build command", project.buildCommand],
    ["output directory", project.outputDirectory],
    ["root directory", project.rootDirectory],
    ["node version", project.nodeVersion],
    ["created", project.createdAt],
    ["updated", project.updatedAt],
  ]);
}
