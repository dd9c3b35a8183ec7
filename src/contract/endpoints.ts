/**
 * The route table: every endpoint of the HTTP API, by name.
 *
 * @module
 */
import * as audit from "./audit.ts";
import * as backups from "./backups.ts";
import * as usage from "./usage.ts";
import * as accounts from "./accounts.ts";
import * as apiKeys from "./api_keys.ts";
import * as blobs from "./blobs.ts";
import * as blobStore from "./blob_store.ts";
import * as buildLogs from "./build_logs.ts";
import * as builds from "./builds.ts";
import * as cache from "./cache.ts";
import * as cron from "./cron.ts";
import * as drains from "./drains.ts";
import * as queues from "./queues.ts";
import * as forms from "./forms.ts";
import * as forgeReports from "./forge_reports.ts";
import * as traffic from "./traffic.ts";
import * as errors from "./errors.ts";
import * as databaseBranches from "./database_branches.ts";
import * as databaseQueries from "./database_queries.ts";
import * as databases from "./databases.ts";
import * as deliveries from "./deliveries.ts";
import * as comparison from "./deployment_comparison.ts";
import * as deployments from "./deployments.ts";
import * as device from "./device.ts";
import * as domains from "./domains.ts";
import * as edges from "./edges.ts";
import * as environments from "./environments.ts";
import * as health from "./health.ts";
import * as hooks from "./hooks.ts";
import * as identity from "./identity.ts";
import * as kv from "./kv.ts";
import * as logs from "./logs.ts";
import * as messenger from "./messenger.ts";
import * as notifications from "./notifications.ts";
import * as previews from "./previews.ts";
import * as projects from "./projects.ts";
import * as publishers from "./publishers.ts";
import * as push from "./push.ts";
import * as nodes from "./nodes.ts";
import * as raiseEvent from "./raise_event.ts";
import * as releases from "./releases.ts";
import * as repositories from "./repositories.ts";
import * as rules from "./rules.ts";
import * as search from "./search.ts";
import * as security from "./security.ts";
import * as system from "./system.ts";
import * as twoFactor from "./two_factor.ts";
import * as variables from "./variables.ts";
import * as webhooks from "./webhooks.ts";
import * as workspaces from "./workspaces.ts";

export const endpoints = {
  getHealth: system.getHealth,
  getOpenApi: system.getOpenApi,
  listNodes: nodes.listNodes,
  listEdges: edges.listEdges,
  addEdge: edges.addEdge,
  drainEdge: edges.drainEdge,
  removeEdge: edges.removeEdge,
  getBackups: backups.getBackups,
  getIdentity: identity.getIdentity,
  search: search.search,
  listAudit: audit.listAudit,
  listUsage: usage.listUsage,
  listProjectUsage: usage.listProjectUsage,
  listWorkspaces: identity.listWorkspaces,
  createWorkspace: workspaces.createWorkspace,
  renameWorkspace: workspaces.renameWorkspace,
  leaveWorkspace: workspaces.leaveWorkspace,
  listMembers: workspaces.listMembers,
  changeMember: workspaces.changeMember,
  removeMember: workspaces.removeMember,
  createInvitation: workspaces.createInvitation,
  listInvitations: workspaces.listInvitations,
  deleteInvitation: workspaces.deleteInvitation,
  acceptInvitation: workspaces.acceptInvitation,
  signUp: accounts.signUp,
  confirmSignUp: accounts.confirmSignUp,
  requestPasswordReset: accounts.requestPasswordReset,
  completePasswordReset: accounts.completePasswordReset,
  signIn: accounts.signIn,
  signInSecondFactor: accounts.signInSecondFactor,
  claimOwner: accounts.claimOwner,
  signOut: accounts.signOut,
  getAccount: accounts.getAccount,
  changePassword: accounts.changePassword,
  addEmail: accounts.addEmail,
  confirmEmail: accounts.confirmEmail,
  listSessions: accounts.listSessions,
  revokeSession: accounts.revokeSession,
  listTools: accounts.listTools,
  revokeTool: accounts.revokeTool,
  startTwoFactor: twoFactor.startTwoFactor,
  confirmTwoFactor: twoFactor.confirmTwoFactor,
  disableTwoFactor: twoFactor.disableTwoFactor,
  renewRecoveryCodes: twoFactor.renewRecoveryCodes,
  createApiKey: apiKeys.createApiKey,
  listApiKeys: apiKeys.listApiKeys,
  updateApiKey: apiKeys.updateApiKey,
  revokeApiKey: apiKeys.revokeApiKey,
  createPublisher: publishers.createPublisher,
  listPublishers: publishers.listPublishers,
  deletePublisher: publishers.deletePublisher,
  listSecurityEvents: security.listSecurityEvents,
  listAccountEvents: security.listAccountEvents,
  startDevice: device.startDevice,
  pollDeviceToken: device.pollDeviceToken,
  findDevice: device.findDevice,
  approveDevice: device.approveDevice,
  denyDevice: device.denyDevice,
  getOAuthMetadata: device.getOAuthMetadata,
  listProjects: projects.listProjects,
  createProject: projects.createProject,
  getProject: projects.getProject,
  getProjectHealth: health.getProjectHealth,
  updateProject: projects.updateProject,
  deleteProject: projects.deleteProject,
  setGitCredentials: projects.setGitCredentials,
  removeGitCredentials: projects.removeGitCredentials,
  createDeployment: deployments.createDeployment,
  checkDeployment: deployments.checkDeployment,
  listDeployments: deployments.listDeployments,
  getDeployment: deployments.getDeployment,
  migrateDeployment: deployments.migrateDeployment,
  stageDeployment: deployments.stageDeployment,
  activateDeployment: deployments.activateDeployment,
  stopDeployment: deployments.stopDeployment,
  promoteDeployment: deployments.promoteDeployment,
  redeployDeployment: deployments.redeployDeployment,
  compareDeployments: comparison.compareDeployments,
  rollback: deployments.rollback,
  listReleases: releases.listReleases,
  finishRelease: releases.finishRelease,
  withdrawRelease: releases.withdrawRelease,
  getPreviewAccess: previews.getPreviewAccess,
  updatePreviewAccess: previews.updatePreviewAccess,
  createBypassKey: previews.createBypassKey,
  deleteBypassKey: previews.deleteBypassKey,
  createShare: previews.createShare,
  listShares: previews.listShares,
  deleteShare: previews.deleteShare,
  listBuilds: builds.listBuilds,
  getBuild: builds.getBuild,
  startBuild: builds.startBuild,
  buildSources: repositories.buildSources,
  inspectRepository: repositories.inspectRepository,
  cancelBuild: builds.cancelBuild,
  createHook: hooks.createHook,
  listHooks: hooks.listHooks,
  getHook: hooks.getHook,
  updateHook: hooks.updateHook,
  deleteHook: hooks.deleteHook,
  regenerateHook: hooks.regenerateHook,
  triggerHook: hooks.triggerHook,
  getTriggeredDeployment: hooks.getTriggeredDeployment,
  getTraffic: traffic.getTraffic,
  listErrors: errors.listErrors,
  getError: errors.getError,
  listDrains: drains.listDrains,
  listPlatformDrains: drains.listPlatformDrains,
  createDrain: drains.createDrain,
  deleteDrain: drains.deleteDrain,
  testDrain: drains.testDrain,
  listCronTasks: cron.listCronTasks,
  runCronTask: cron.runCronTask,
  listQueues: queues.listQueues,
  sendQueueMessage: queues.sendQueueMessage,
  listQueueMessages: queues.listQueueMessages,
  retryQueueMessage: queues.retryQueueMessage,
  deleteQueueMessage: queues.deleteQueueMessage,
  retryQueue: queues.retryQueue,
  purgeQueue: queues.purgeQueue,
  listForms: forms.listForms,
  listFormSubmissions: forms.listFormSubmissions,
  deleteFormSubmission: forms.deleteFormSubmission,
  purgeForm: forms.purgeForm,
  listEnvironments: environments.listEnvironments,
  createEnvironment: environments.createEnvironment,
  deleteEnvironment: environments.deleteEnvironment,
  listVariables: variables.listVariables,
  setVariable: variables.setVariable,
  deleteVariable: variables.deleteVariable,
  exportVariables: variables.exportVariables,
  listDatabases: databases.listDatabases,
  createDatabase: databases.createDatabase,
  getDatabase: databases.getDatabase,
  updateDatabase: databases.updateDatabase,
  deleteDatabase: databases.deleteDatabase,
  undeleteDatabase: databases.undeleteDatabase,
  startDatabase: databases.startDatabase,
  stopDatabase: databases.stopDatabase,
  getDatabaseConnection: databases.getDatabaseConnection,
  getDatabaseUsage: databases.getDatabaseUsage,
  moveDatabase: databases.moveDatabase,
  listDatabaseBranches: databaseBranches.listDatabaseBranches,
  createDatabaseBranch: databaseBranches.createDatabaseBranch,
  deleteDatabaseBranch: databaseBranches.deleteDatabaseBranch,
  resetDatabaseBranch: databaseBranches.resetDatabaseBranch,
  diffDatabaseBranch: databaseBranches.diffDatabaseBranch,
  listDatabaseSnapshots: databaseBranches.listDatabaseSnapshots,
  createDatabaseSnapshot: databaseBranches.createDatabaseSnapshot,
  restoreDatabaseSnapshot: databaseBranches.restoreDatabaseSnapshot,
  deleteDatabaseSnapshot: databaseBranches.deleteDatabaseSnapshot,
  queryDatabase: databaseQueries.queryDatabase,
  getDatabaseSchema: databaseQueries.getDatabaseSchema,
  exportDatabase: databaseQueries.exportDatabase,
  importDatabase: databaseQueries.importDatabase,
  listKv: kv.listKv,
  getKvValue: kv.getKvValue,
  setKvValue: kv.setKvValue,
  deleteKvValue: kv.deleteKvValue,
  listBlobs: blobStore.listBlobs,
  deleteBlob: blobStore.deleteBlob,
  copyBlob: blobStore.copyBlob,
  signBlob: blobStore.signBlob,
  createBlobKey: blobStore.createBlobKey,
  listBlobKeys: blobStore.listBlobKeys,
  deleteBlobKey: blobStore.deleteBlobKey,
  listDomains: domains.listDomains,
  addDomain: domains.addDomain,
  getDomain: domains.getDomain,
  verifyDomain: domains.verifyDomain,
  deleteDomain: domains.deleteDomain,
  purgeCache: cache.purgeCache,
  putBlob: blobs.putBlob,
  postBlobs: blobs.postBlobs,
  listLogs: logs.listLogs,
  followLogs: logs.followLogs,
  getLogSummary: logs.getLogSummary,
  getForgeReport: forgeReports.getForgeReport,
  getBuildLog: buildLogs.getBuildLog,
  followBuildLog: buildLogs.followBuildLog,
  getRules: rules.getRules,
  putRules: rules.putRules,
  deleteRules: rules.deleteRules,
  listRuleRevisions: rules.listRuleRevisions,
  getRuleRevision: rules.getRuleRevision,
  restoreRules: rules.restoreRules,
  listRuleCounters: rules.listRuleCounters,
  listNotifications: notifications.listNotifications,
  hasUnread: notifications.hasUnread,
  getInboxCount: notifications.getInboxCount,
  readNotification: notifications.readNotification,
  archiveNotification: notifications.archiveNotification,
  readAllNotifications: notifications.readAllNotifications,
  archiveAllNotifications: notifications.archiveAllNotifications,
  deleteNotification: notifications.deleteNotification,
  deleteArchivedNotifications: notifications.deleteArchivedNotifications,
  getPreferences: notifications.getPreferences,
  putChannelPreference: notifications.putChannelPreference,
  putCategoryPreference: notifications.putCategoryPreference,
  streamNotifications: notifications.streamNotifications,
  triggerEvent: raiseEvent.triggerEvent,
  listDeadLetters: deliveries.listDeadLetters,
  resendDeadLetter: deliveries.resendDeadLetter,
  resendDeadLetters: deliveries.resendDeadLetters,
  deleteDeadLetter: deliveries.deleteDeadLetter,
  listWorkspaceDeadLetters: deliveries.listWorkspaceDeadLetters,
  resendWorkspaceDeadLetter: deliveries.resendWorkspaceDeadLetter,
  resendWorkspaceDeadLetters: deliveries.resendWorkspaceDeadLetters,
  sendTestNotification: deliveries.sendTestNotification,
  createWebhook: webhooks.createWebhook,
  listWebhooks: webhooks.listWebhooks,
  getWebhook: webhooks.getWebhook,
  updateWebhook: webhooks.updateWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  listWebhookDeliveries: webhooks.listWebhookDeliveries,
  redeliverWebhook: webhooks.redeliverWebhook,
  testWebhook: webhooks.testWebhook,
  getVapidKey: push.getVapidKey,
  createPushSubscription: push.createPushSubscription,
  listPushSubscriptions: push.listPushSubscriptions,
  deletePushSubscription: push.deletePushSubscription,
  createMessengerLink: messenger.createMessengerLink,
  listMessengerLinks: messenger.listMessengerLinks,
  deleteMessengerLink: messenger.deleteMessengerLink,
} as const;
