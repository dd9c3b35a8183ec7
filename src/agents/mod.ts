/**
 * svc for agents: tools at the level of tasks, and the server of the Model Context
 * Protocol that offers them. `svc mcp` serves them over stdio, the platform at `/mcp`.
 *
 * @module
 */
export { describeFailure } from "./describe_failure.ts";
export { makeServer, type ServerOptions, type ToolServer } from "./make_server.ts";
export {
  type Answer,
  anyObject,
  chooseProject,
  defineTool,
  listOf,
  type NextCall,
  type OpenedProject,
  partOf,
  projectInput,
  type Surroundings,
  type Tool,
  type ToolAnswer,
  ToolFailure,
  type ToolSpec,
} from "./tool.ts";
export {
  deployFiles,
  describeDatabase,
  explainFailure,
  listProjects,
  listVariables,
  makeProject,
  promote,
  purgeCache,
  queryDatabase,
  rollback,
  searchLogs,
  showErrors,
  status,
  traffic,
} from "./tools/mod.ts";
