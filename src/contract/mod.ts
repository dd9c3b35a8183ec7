/**
 * The contract of the HTTP API: schemas of every wire object and the table of
 * endpoints. Server, client and OpenAPI document all come from it.
 * The OpenAPI document itself is in `openapi.ts`, loaded when asked for.
 *
 * @module
 */
export {
  apiError,
  type ApiErrorBody,
  ERROR_CODES,
  type ErrorCode,
  page,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  type Problem,
  PROJECT_NAME_MAX,
  projectName,
} from "./common.ts";
export {
  createDeploymentBody,
  type Deployment,
  deployment,
  DEPLOYMENT_STATES,
  type DeploymentFile,
  deploymentFile,
  type DeploymentState,
  ENVIRONMENT_PREVIEW,
  ENVIRONMENT_PRODUCTION,
  filePath,
  MAX_BATCH_BLOBS,
  MAX_BATCH_BYTES,
  MAX_FILE_BYTES,
  MAX_FILES,
  sha256,
} from "./deployments.ts";
export {
  type AddedDomain,
  CERTIFICATE_STATUSES,
  type CertificateStatus,
  DNS_RECORD_TYPES,
  type DnsCheck,
  dnsCheck,
  type DnsRecord,
  type DnsRecordType,
  type Domain,
  DOMAIN_STATUSES,
  type DomainStatus,
  type VerifiedDomain,
} from "./domains.ts";
export type {
  BodyInputOf,
  BodyKind,
  BodyOf,
  Endpoint,
  HttpMethod,
  ParamsOf,
  QueryInputOf,
  QueryOf,
  ResponseOf,
} from "./endpoint.ts";
export { endpoints } from "./endpoints.ts";
export {
  type Environment,
  environment,
  environmentName,
  environmentReference,
} from "./environments.ts";
export { type Identity, identity, ROLES, type Workspace, workspace } from "./identity.ts";
export { LOG_LIMIT_DEFAULT, LOG_LIMIT_MAX, type LogEntry, logEntry, type RuleHit } from "./logs.ts";
export { branchName, FRAMEWORKS, type Project, project } from "./projects.ts";
export {
  MAX_ENVIRONMENT_BYTES,
  MAX_VARIABLE_BYTES,
  MAX_VARIABLES,
  SCOPE_ALL,
  type Variable,
  VARIABLE_CATEGORIES,
  type VariableCategory,
  variableName,
} from "./variables.ts";
export { type ActiveRules, type RulesRevision } from "./rules.ts";
