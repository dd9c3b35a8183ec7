/** Projects: their records, host labels, and git credentials. @module */
export { createProjects } from "./create_projects.ts";
export { deletedProjects, finishDeletion, markDeleted } from "./deletions.ts";
export { findProject } from "./find_project.ts";
export {
  gitAddress,
  type GitCredentials,
  GitCredentialStore,
  type OpenGitCredentials,
  type UnknownRepository,
} from "./git_credentials.ts";
export { type HostRecord, hostRecord } from "./host_record.ts";
export {
  newPreviewRecord,
  type PreviewRecord,
  previewRecord,
  type ShareRecord,
} from "./preview_record.ts";
export type { RepositoryProblem } from "./repository_problem.ts";
export { productionDeploymentId, type ProjectRecord, projectRecord } from "./project.ts";
export { projects, ProjectStore } from "./project_store.ts";
