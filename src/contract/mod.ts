/**
 * The contract of the HTTP API: schemas of every wire object and the table of
 * endpoints. Server, client and OpenAPI document all come from it.
 * The OpenAPI document itself is in `openapi.ts`, loaded when asked for.
 *
 * @module
 */
export {
  type Account,
  account,
  email,
  newPassword,
  PASSWORD_MAX,
  PASSWORD_MIN,
  type Session,
  SIGN_UP_METHODS,
  type Tool,
} from "./accounts.ts";
export { API_KEY_REQUESTS_PER_HOUR, type ApiKey } from "./api_keys.ts";
export { MAX_BATCH_BLOBS, MAX_BATCH_BYTES } from "./blobs.ts";
export {
  apiError,
  type ApiErrorBody,
  ERROR_CODES,
  type ErrorCode,
  MISSING_NODE_EVENT,
  type MissingNode,
  missingNode,
  page,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  type Problem,
  PROJECT_NAME_MAX,
  projectName,
} from "./common.ts";
export {
  type CountedValue,
  type LayerTimes,
  TRAFFIC_LAYERS,
  TRAFFIC_RANGES,
  type TrafficRange,
  type TrafficReport,
  type TrafficStep,
  type WebVitals,
} from "./traffic.ts";
export {
  ERROR_LIMIT_DEFAULT,
  ERROR_LIMIT_MAX,
  type ErrorDetails,
  type ErrorOccurrence,
  type ErrorSummary,
} from "./errors.ts";
export { type CronRun, cronRun, type CronTask } from "./cron.ts";
export {
  CU_SIZES,
  type CuSize,
  type Database,
  DATABASE_ENGINES,
  DATABASE_NAME_MAX,
  DATABASE_STATES,
  DATABASE_VARIABLE,
  type DatabaseConnection,
  databaseName,
  type DatabaseOverride,
  type DatabaseState,
  MAIN_BRANCH,
} from "./databases.ts";
export { BRANCH_TTL_MAX, type DatabaseBranch, type DatabaseSnapshot } from "./database_branches.ts";
export {
  MAX_IMPORT_BYTES,
  MAX_SQL_BYTES,
  MAX_SQL_LENGTH,
  type QueryEvent,
  queryEvent,
} from "./database_queries.ts";
export {
  type DeploymentComparison,
  type Difference,
  type Differences,
  MAX_DIFFERENCES,
} from "./deployment_comparison.ts";
export {
  type DeploymentFile,
  deploymentFile,
  filePath,
  MAX_DEPLOYED_BYTES,
  MAX_FILE_BYTES,
  MAX_FILES,
  sha256,
} from "./deployment_files.ts";
export {
  createDeploymentBody,
  type Deployment,
  deployment,
  DEPLOYMENT_STATES,
  type DeploymentFunction,
  deploymentFunction,
  type DeploymentState,
  MAX_FUNCTION_BYTES,
  MAX_FUNCTIONS,
} from "./deployments.ts";
export { ENVIRONMENT_PREVIEW, ENVIRONMENT_PRODUCTION } from "./environment_names.ts";
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
export {
  DEVICE_CODE_SECONDS,
  DEVICE_GRANT_TYPE,
  DEVICE_POLL_SECONDS,
  DEVICE_STARTS_PER_MINUTE,
  type DeviceAuthorization,
  deviceAuthorization,
  type DeviceToken,
  deviceToken,
  OAUTH_ERRORS,
  oauthError,
  type OAuthErrorCode,
} from "./device.ts";
export {
  type Access,
  type BodyInputOf,
  type BodyKind,
  type BodyOf,
  type Endpoint,
  type HttpMethod,
  IDEMPOTENCY_HOURS,
  type IdempotencyKind,
  type ParamsOf,
  type QueryInputOf,
  type QueryOf,
  type ResponseOf,
  type Trait,
} from "./endpoint.ts";
export { isOfOneProject, lackedFor } from "./endpoint_permissions.ts";
export { endpoints } from "./endpoints.ts";
export {
  type Environment,
  environment,
  environmentName,
  environmentReference,
} from "./environments.ts";
export {
  CREDENTIAL_TYPES,
  displayName,
  type Identity,
  identity,
  type Role,
  role,
  ROLES,
  type Workspace,
  workspace,
  workspaceSlug,
} from "./identity.ts";
export {
  deployPermission,
  MAX_KEY_PROJECTS,
  type Permission,
  PERMISSION_NAMES,
  PERMISSIONS,
} from "./permissions.ts";
export { type ProjectHealth } from "./health.ts";
export { MAX_SEARCH_LENGTH, SEARCH_RESULTS, type SearchResult } from "./search.ts";
export { AUDIT_CREDENTIALS, AUDIT_DAYS, AUDIT_ENTRIES, type AuditEntry } from "./audit.ts";
export { type ForgeReport } from "./forge_reports.ts";
export { type KvEntry, type KvValue } from "./kv.ts";
export { type Health } from "./system.ts";
export {
  LOG_LEVELS,
  LOG_LIMIT_DEFAULT,
  LOG_LIMIT_MAX,
  type LogEntry,
  logEntry,
  type RequestLogEntry,
  type RuleHit,
} from "./logs.ts";
export {
  BRANCH_MAX,
  branchName,
  type Forge,
  FORGE_NAMES,
  FORGES,
  FRAMEWORKS,
  GIT_CREDENTIAL_TYPES,
  gitCredentialsBody,
  type Project,
  project,
} from "./projects.ts";
export { type Build, BUILD_STATES, type BuildState } from "./builds.ts";
export {
  BUILD_LOG_LEVELS,
  type BuildLogLevel,
  type BuildLogLine,
  buildLogLine,
  type BuildLogPart,
} from "./build_logs.ts";
export {
  type DeployHook,
  HOOK_SCOPES,
  HOOK_TRIGGERS_PER_MINUTE,
  type HookScope,
  MAX_HOOKS,
  type TriggerAnswer,
  triggerAnswer,
} from "./hooks.ts";
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
export { SECURITY_EVENTS, type SecurityEvent, type SecurityEventName } from "./security.ts";
export { type Invitation, type Member } from "./workspaces.ts";
export { type ActiveRules, type RulesRevision } from "./rules.ts";
export {
  EVENT_CATEGORIES,
  EVENT_NAMES,
  type EventCategory,
  type EventData,
  eventData,
  type EventName,
  EVENTS,
  PRIORITIES,
  type Priority,
} from "./events.ts";
export {
  applyDifference,
  differenceOf,
  digestFiles,
  digestFilesInSteps,
  type FileDifference,
} from "./file_difference.ts";
export { EVENT_PAYLOADS, type EventPayloads, MAX_EVENT_TEXT } from "./event_payloads.ts";
export {
  type CategoryPreferences,
  categoryPreferences,
  type Channel,
  CHANNELS,
  type InboxCounts,
  inboxCounts,
  type Notification,
  notification,
  type NotificationMessage,
  type NotificationPreferences,
} from "./notifications.ts";
export { type DeadLetter, DELIVERY_CHANNELS, PERSONAL_CHANNELS } from "./deliveries.ts";
export { MAX_COUNTED, type Usage, USAGE_SUBJECTS, type UsageSubject } from "./usage.ts";
export { MAX_WEBHOOK_LOG, MAX_WEBHOOKS, type Webhook, type WebhookDelivery } from "./webhooks.ts";
export {
  EXCHANGE_GRANT_TYPE,
  exchangeBody,
  type ExchangedKey,
  exchangedKey,
  ISSUED_TOKEN_TYPE,
  KEY_SECONDS,
  MAX_PUBLISHERS,
  PUBLISHER_PROVIDERS,
  type PublisherProvider,
  SUBJECT_TOKEN_TYPES,
  type TrustedPublisher,
  USUAL_ISSUERS,
} from "./publishers.ts";
export { MAX_PUSH_SUBSCRIPTIONS, type PushSubscription } from "./push.ts";
export { MAX_MESSENGER_LINKS, MESSENGER_CODE_SECONDS, type MessengerLink } from "./messenger.ts";
