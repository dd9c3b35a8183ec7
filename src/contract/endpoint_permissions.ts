/**
 * The permission that an API key needs for each endpoint, in one table for all endpoints. The table
 * does not limit browser sessions, or tools that a person has signed in.
 *
 * @module
 */
import type { Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import type { Permission } from "./permissions.ts";

/** Endpoints that every key can call. They need no permission. */
const ANY = "any";
/** Endpoints for a person's account. No key can call them, regardless of its permissions. */
const NONE = "none";
/** Any one of these permissions is enough. `everything` is always enough. */
type Needed = readonly Permission[] | typeof ANY | typeof NONE;

const READ = ["read"] as const;
const ALL = ["everything"] as const;
const RULES = ["rules"] as const;
const READ_RULES = ["read", "rules"] as const;
const VARIABLES = ["variables"] as const;
/** Which of these permissions is needed depends on the environment. */
const DEPLOY = ["deploy-previews", "deploy-production"] as const;
const PRODUCTION = ["deploy-production"] as const;
const READ_DEPLOYED = ["read", ...DEPLOY] as const;
/** Anyone who may change a part of a project must also be able to find the project. */
const FIND_PROJECT = ["read", ...DEPLOY, "rules", "variables"] as const;

type EndpointName = keyof typeof endpoints;

/** Permissions by endpoint. The type requires a row for each endpoint. */
export const ENDPOINT_PERMISSIONS: Readonly<Record<EndpointName, Needed>> = {
  getHealth: ANY,
  getOpenApi: ANY,
  listNodes: ALL,
  listEdges: ALL,
  addEdge: ALL,
  drainEdge: ALL,
  removeEdge: ALL,
  getBackups: ALL,
  getIdentity: ANY,
  search: READ,
  listAudit: ALL,
  listUsage: READ,
  listProjectUsage: READ,
  listWorkspaces: ANY,
  createWorkspace: NONE,
  renameWorkspace: ALL,
  leaveWorkspace: ALL,
  listMembers: READ,
  changeMember: ALL,
  removeMember: ALL,
  createInvitation: ALL,
  listInvitations: ALL,
  deleteInvitation: ALL,
  acceptInvitation: NONE,
  signUp: ANY,
  confirmSignUp: ANY,
  requestPasswordReset: ANY,
  completePasswordReset: ANY,
  signIn: ANY,
  signInSecondFactor: ANY,
  claimOwner: ANY,
  signOut: ANY,
  getAccount: NONE,
  changePassword: NONE,
  addEmail: NONE,
  confirmEmail: NONE,
  listSessions: NONE,
  revokeSession: NONE,
  listTools: NONE,
  revokeTool: NONE,
  startTwoFactor: NONE,
  confirmTwoFactor: NONE,
  disableTwoFactor: NONE,
  renewRecoveryCodes: NONE,
  createApiKey: ALL,
  listApiKeys: ALL,
  updateApiKey: ALL,
  revokeApiKey: ALL,
  createPublisher: ALL,
  listPublishers: ALL,
  deletePublisher: ALL,
  listSecurityEvents: ALL,
  listAccountEvents: NONE,
  startDevice: ANY,
  pollDeviceToken: ANY,
  findDevice: NONE,
  approveDevice: NONE,
  denyDevice: NONE,
  getOAuthMetadata: ANY,
  listProjects: FIND_PROJECT,
  createProject: ALL,
  getProject: FIND_PROJECT,
  getProjectHealth: READ,
  updateProject: ALL,
  deleteProject: ALL,
  setGitCredentials: ALL,
  removeGitCredentials: ALL,
  createDeployment: DEPLOY,
  checkDeployment: DEPLOY,
  listDeployments: READ_DEPLOYED,
  getDeployment: READ_DEPLOYED,
  migrateDeployment: DEPLOY,
  stageDeployment: DEPLOY,
  activateDeployment: DEPLOY,
  stopDeployment: DEPLOY,
  promoteDeployment: PRODUCTION,
  redeployDeployment: DEPLOY,
  compareDeployments: READ_DEPLOYED,
  rollback: PRODUCTION,
  listReleases: READ_DEPLOYED,
  finishRelease: PRODUCTION,
  withdrawRelease: PRODUCTION,
  getPreviewAccess: READ_DEPLOYED,
  updatePreviewAccess: ALL,
  createBypassKey: ALL,
  deleteBypassKey: ALL,
  createShare: DEPLOY,
  listShares: READ_DEPLOYED,
  deleteShare: DEPLOY,
  listBuilds: READ_DEPLOYED,
  getBuild: READ_DEPLOYED,
  startBuild: DEPLOY,
  buildSources: DEPLOY,
  inspectRepository: READ_DEPLOYED,
  cancelBuild: DEPLOY,
  createHook: ALL,
  listHooks: READ,
  getHook: READ,
  updateHook: ALL,
  deleteHook: ALL,
  regenerateHook: ALL,
  triggerHook: ANY,
  getTriggeredDeployment: ANY,
  listErrors: READ,
  getError: READ,
  getTraffic: READ,
  listDrains: ALL,
  listPlatformDrains: ALL,
  createDrain: ALL,
  deleteDrain: ALL,
  testDrain: ALL,
  listCronTasks: READ,
  runCronTask: ALL,
  listQueues: READ,
  sendQueueMessage: ALL,
  listQueueMessages: ALL,
  retryQueueMessage: ALL,
  deleteQueueMessage: ALL,
  retryQueue: ALL,
  purgeQueue: ALL,
  listForms: READ,
  listFormSubmissions: ALL,
  deleteFormSubmission: ALL,
  purgeForm: ALL,
  listEnvironments: FIND_PROJECT,
  createEnvironment: ALL,
  deleteEnvironment: ALL,
  listVariables: READ,
  setVariable: VARIABLES,
  deleteVariable: VARIABLES,
  exportVariables: ALL,
  listDatabases: READ,
  createDatabase: ALL,
  getDatabase: READ,
  updateDatabase: ALL,
  deleteDatabase: ALL,
  undeleteDatabase: ALL,
  startDatabase: ALL,
  stopDatabase: ALL,
  getDatabaseConnection: ALL,
  getDatabaseAddress: READ,
  getDatabaseUsage: READ,
  moveDatabase: ALL,
  listDatabaseBranches: READ,
  createDatabaseBranch: ALL,
  deleteDatabaseBranch: ALL,
  resetDatabaseBranch: ALL,
  diffDatabaseBranch: ALL,
  listDatabaseSnapshots: READ,
  createDatabaseSnapshot: ALL,
  restoreDatabaseSnapshot: ALL,
  deleteDatabaseSnapshot: ALL,
  queryDatabase: ALL,
  getDatabaseSchema: READ,
  exportDatabase: ALL,
  importDatabase: ALL,
  listKv: ALL,
  getKvValue: ALL,
  setKvValue: ALL,
  deleteKvValue: ALL,
  listBlobs: ALL,
  deleteBlob: ALL,
  copyBlob: ALL,
  signBlob: ALL,
  createBlobKey: ALL,
  listBlobKeys: ALL,
  deleteBlobKey: ALL,
  listDomains: READ,
  addDomain: ALL,
  getDomain: READ,
  verifyDomain: ALL,
  deleteDomain: ALL,
  purgeCache: ALL,
  putBlob: DEPLOY,
  postBlobs: DEPLOY,
  listLogs: READ,
  followLogs: READ,
  getLogSummary: READ,
  getForgeReport: READ_DEPLOYED,
  getBuildLog: READ_DEPLOYED,
  followBuildLog: READ_DEPLOYED,
  getRules: READ_RULES,
  putRules: RULES,
  deleteRules: RULES,
  listRuleRevisions: READ_RULES,
  getRuleRevision: READ_RULES,
  restoreRules: RULES,
  listRuleCounters: READ_RULES,
  listNotifications: READ,
  hasUnread: READ,
  getInboxCount: READ,
  readNotification: ALL,
  archiveNotification: ALL,
  readAllNotifications: ALL,
  archiveAllNotifications: ALL,
  deleteNotification: ALL,
  deleteArchivedNotifications: ALL,
  getPreferences: READ,
  putChannelPreference: ALL,
  putCategoryPreference: ALL,
  streamNotifications: READ,
  triggerEvent: ALL,
  listDeadLetters: READ,
  resendDeadLetter: ALL,
  resendDeadLetters: ALL,
  deleteDeadLetter: ALL,
  listWorkspaceDeadLetters: ALL,
  resendWorkspaceDeadLetter: ALL,
  resendWorkspaceDeadLetters: ALL,
  sendTestNotification: ALL,
  createWebhook: ALL,
  listWebhooks: ALL,
  getWebhook: ALL,
  updateWebhook: ALL,
  deleteWebhook: ALL,
  rotateWebhookSecret: ALL,
  listWebhookDeliveries: ALL,
  redeliverWebhook: ALL,
  testWebhook: ALL,
  getVapidKey: ANY,
  createPushSubscription: ALL,
  listPushSubscriptions: READ,
  deletePushSubscription: ALL,
  createMessengerLink: NONE,
  listMessengerLinks: NONE,
  deleteMessengerLink: NONE,
};

/** Paths that use protocols other than the API's. */
const OF_OTHER_PROTOCOLS: readonly (readonly [string, Needed])[] = [
  ["GET /git", READ_DEPLOYED],
  ["POST /git", DEPLOY],
  // Each call by an agent is authorized separately.
  ["GET /mcp", ANY],
];

const nameOf = ({ method, path }: Pick<Endpoint, "method" | "path">) => `${method} ${path}`;

const BY_NAME: ReadonlyMap<string, Needed> = new Map([
  ...(Object.keys(endpoints) as EndpointName[]).map((name) =>
    [nameOf(endpoints[name]), ENDPOINT_PERMISSIONS[name]] as const
  ),
  ...OF_OTHER_PROTOCOLS,
]);

/**
 * Returns the permissions that a key lacks for an endpoint, any one of which is enough. Returns
 * `undefined` if the key can call the endpoint. Endpoints that are not in any table require
 * `everything`.
 */
export function lackedFor(
  endpoint: Pick<Endpoint, "method" | "path">,
  held: readonly Permission[],
): readonly Permission[] | undefined {
  if (held.includes("everything")) return undefined;
  const needed = BY_NAME.get(nameOf(endpoint)) ?? ALL;
  if (needed === ANY) return undefined;
  if (needed === NONE) return ALL;
  return needed.some((each) => held.includes(each)) ? undefined : needed;
}

/** Endpoints that do not belong to a project, but that keys limited to projects can still call. */
const SHARED: ReadonlySet<string> = new Set(
  ([
    "getIdentity",
    "listWorkspaces",
    "signOut",
    "listProjects",
    "putBlob",
    "postBlobs",
  ] as const).map((name) => nameOf(endpoints[name])),
);

/**
 * Returns whether a key that is limited to certain projects can call an endpoint on one of those
 * projects.
 */
export function isOfOneProject(endpoint: Pick<Endpoint, "method" | "path">): boolean {
  return /\{(?:project|deployment|build)\}/.test(endpoint.path) ||
    endpoint.path === "/git" || endpoint.path === "/mcp" || SHARED.has(nameOf(endpoint));
}
