/** The subject and changes of each recorded operation, without secret values. Pure. @module */
import { endpoints } from "../../contract/endpoints.ts";
import type { AuditFacts, CompletedCall } from "../core/http/mod.ts";

interface AuditSubject {
  readonly target: { readonly id: string | null; readonly name: string | null } | null;
  readonly changes: readonly AuditChange[];
}

interface AuditChange {
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Maximum length of text in an entry, in UTF-16 code units. */
const MAX_TEXT = 500;

interface Row {
  /** The field that contains the ID; `null` if there is none. */
  readonly id?: string | null;
  /** The fields that form the subject's name, joined with `/`. */
  readonly name: readonly string[];
  /** The fields to compare, which never include a secret. */
  readonly facts?: readonly string[];
  /** The field of the response that contains the resource. */
  readonly of?: string;
  /** Converts data to readable values before comparison. */
  readonly read?: (facts: AuditFacts) => AuditFacts;
}

type OperationName = keyof typeof endpoints;

const KEY_FACTS = ["name", "role", "permissions", "projects", "description", "expiresAt"] as const;
const PROJECT_FACTS = [...Object.keys(endpoints.updateProject.body.shape), "gitCredentials"];
const DATABASE_FACTS = [
  "engine",
  "cuSize",
  "autoInject",
  "envVar",
  "environments",
  "previewBranches",
];
const WEBHOOK_FACTS = ["host", "description", "events", "enabled"];

/** Reads a webhook's settings. A webhook without events or categories sends all events. */
function readWebhook(facts: AuditFacts): AuditFacts {
  const { events, categories } = facts;
  if (!Array.isArray(events) || !Array.isArray(categories)) return facts;
  const wanted = [...categories.map((category) => `all of ${category}`), ...events];
  return { ...facts, events: wanted.length === 0 ? "all events" : wanted };
}

/** Reads a project's settings. Older records lack `autoRedeploy`. */
const readProject = (facts: AuditFacts): AuditFacts => ({ autoRedeploy: false, ...facts });

const named: Row = { name: ["name"] };
const deployment: Row = { name: ["project", "environment"] };
const production: Row = { ...deployment, facts: ["productionDeploymentId"] };
const project: Row = { name: ["name"], facts: PROJECT_FACTS, read: readProject };
const database: Row = { name: ["name"], facts: DATABASE_FACTS };
const databaseBranch: Row = { name: ["database", "name"] };
const snapshot: Row = { name: ["database", "branch"] };
const sql: Row = { id: null, name: ["database", "branch"], facts: ["readOnly"] };
const hook: Row = { name: ["name"], facts: ["branch", "scope", "signed"] };
const webhook: Row = { name: ["host"], facts: WEBHOOK_FACTS, read: readWebhook };
const member: Row = { id: "userId", name: ["name"], facts: ["role"] };
const domain: Row = { name: ["hostname"], facts: ["environment"], of: "domain" };
const rules: Row = { id: "revisionId", name: ["project"], facts: ["revisionId"] };
const letter: Row = { id: "letter", name: [] };

const rows: ReadonlyMap<string, Row> = new Map(Object.entries(
  {
    renameWorkspace: { name: ["slug"], facts: ["name"] },
    leaveWorkspace: member,
    changeMember: member,
    removeMember: member,
    createInvitation: { name: [], facts: ["role"] },
    deleteInvitation: { name: [], facts: ["role"] },
    createApiKey: { name: ["name"], facts: KEY_FACTS.slice(1) },
    updateApiKey: { name: ["name"], facts: KEY_FACTS },
    revokeApiKey: named,
    addEdge: { id: null, name: ["name"] },
    drainEdge: { id: null, name: ["name"], facts: ["isDrained"] },
    removeEdge: { id: null, name: ["name"] },
    createPublisher: {
      name: ["provider", "repository"],
      facts: [
        "branch",
        "tag",
        "environment",
        "workflow",
        "subject",
        "pullRequests",
        "permissions",
        "projects",
      ],
    },
    deletePublisher: { name: ["provider", "repository"] },
    createProject: project,
    updateProject: project,
    deleteProject: named,
    setGitCredentials: project,
    removeGitCredentials: project,
    createDeployment: { ...deployment, facts: ["branch", "commitSha"], of: "deployment" },
    activateDeployment: production,
    stopDeployment: { ...deployment, facts: ["status"] },
    promoteDeployment: production,
    redeployDeployment: production,
    finishRelease: { name: ["project"], facts: [] },
    withdrawRelease: { name: ["project"], facts: [] },
    rollback: { ...production, of: "deployment" },
    updatePreviewAccess: {
      id: null,
      name: ["project"],
      facts: [
        "protection",
        "hasPassword",
        "allowCidrs",
        "exemptPaths",
        "exemptOptions",
        "maintenance",
      ],
    },
    createBypassKey: { id: null, name: ["project"] },
    deleteBypassKey: { id: null, name: ["project"] },
    createShare: { name: ["project"], facts: ["deploymentId", "branch", "endsAt"] },
    deleteShare: { name: ["project"], facts: [] },
    buildSources: { ...deployment, facts: ["branch", "commitSha"] },
    startBuild: { ...deployment, facts: ["branch", "commitSha"] },
    cancelBuild: { ...deployment, facts: ["state"] },
    createHook: hook,
    updateHook: { name: ["name"], facts: ["name"] },
    deleteHook: named,
    regenerateHook: named,
    runCronTask: { id: "deploymentId", name: ["path"] },
    createDrain: { name: ["host"], facts: ["headerNames"] },
    deleteDrain: { id: "drain", name: ["host"] },
    testDrain: { id: "drain", name: ["host"] },
    sendQueueMessage: { id: "id", name: ["queue"] },
    retryQueueMessage: { id: "message", name: ["queue"] },
    deleteQueueMessage: { id: "message", name: ["queue"] },
    retryQueue: { id: null, name: ["queue"], facts: ["retried"] },
    purgeQueue: { id: null, name: ["queue"], facts: ["state", "removed"] },
    deleteFormSubmission: { id: "submission", name: ["form"] },
    purgeForm: { id: null, name: ["form"], facts: ["state", "removed"] },
    createEnvironment: named,
    deleteEnvironment: named,
    setVariable: { id: null, name: ["key"], facts: ["scope", "category"] },
    deleteVariable: { id: null, name: ["key"], facts: ["scope"] },
    exportVariables: { id: null, name: ["environment"] },
    createDatabase: database,
    updateDatabase: database,
    deleteDatabase: named,
    undeleteDatabase: named,
    startDatabase: named,
    stopDatabase: named,
    getDatabaseConnection: { name: ["database", "branch"] },
    exportDatabase: { id: null, name: ["database", "branch"] },
    moveDatabase: database,
    createDatabaseBranch: databaseBranch,
    deleteDatabaseBranch: databaseBranch,
    resetDatabaseBranch: databaseBranch,
    createDatabaseSnapshot: snapshot,
    restoreDatabaseSnapshot: { id: "snapshot", name: ["database", "name"] },
    deleteDatabaseSnapshot: snapshot,
    queryDatabase: sql,
    importDatabase: sql,
    setKvValue: { id: null, name: ["environment", "key"], facts: ["version"] },
    deleteKvValue: { id: null, name: ["environment", "key"] },
    deleteBlob: { id: null, name: ["environment", "key"] },
    copyBlob: { id: null, name: ["toEnvironment", "to"] },
    signBlob: { id: null, name: ["environment", "key"] },
    createBlobKey: { name: ["environment", "name"], facts: ["isReadOnly"] },
    deleteBlobKey: { name: ["environment", "name"] },
    addDomain: domain,
    verifyDomain: { ...domain, facts: ["status"] },
    deleteDomain: { name: ["hostname"] },
    purgeCache: { id: null, name: ["environment", "type", "path", "prefix", "tag"] },
    putRules: rules,
    deleteRules: rules,
    restoreRules: rules,
    resendWorkspaceDeadLetter: letter,
    resendWorkspaceDeadLetters: { id: null, name: [], facts: ["resent"] },
    createWebhook: webhook,
    updateWebhook: webhook,
    deleteWebhook: { name: ["host"] },
    rotateWebhookSecret: { name: ["host"] },
    redeliverWebhook: { id: "webhook", name: ["host"], facts: ["delivery"] },
    testWebhook: { id: "webhook", name: ["host"], facts: ["event"] },
  } satisfies Partial<Record<OperationName, Row>>,
));

export const describedOperations: ReadonlySet<string> = new Set(rows.keys());

const isFacts = (value: unknown): value is AuditFacts =>
  typeof value === "object" && value !== null && !(value instanceof Response);

function textOf(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (Array.isArray(value) && value.length === 0) return null;
  const text = Array.isArray(value)
    ? value.join(", ")
    : isFacts(value)
    ? JSON.stringify(value)
    : String(value);
  return text.slice(0, MAX_TEXT);
}

/** Returns the subject of a call, given the call's name in the log. */
export function subjectOf(
  action: string,
  call: Pick<CompletedCall, "given" | "answer" | "noted">,
): AuditSubject {
  const row = rows.get(action);
  if (row === undefined) return { target: null, changes: [] };
  const { given, answer, noted } = call;
  const { read = (facts) => facts } = row;
  const outer = isFacts(answer) ? answer : {};
  const inner = row.of === undefined ? undefined : outer[row.of];
  const before = read(noted.before ?? {});
  const after = read({ ...(isFacts(inner) ? inner : outer), ...noted.after });
  const find = (field: string) => textOf(after[field] ?? before[field] ?? given[field]);
  const name = row.name.map(find).filter((part) => part !== null).join("/");
  const changes = (row.facts ?? []).flatMap((field) => {
    const from = textOf(before[field]);
    const to = textOf(after[field] ?? (field in before ? undefined : given[field]));
    return from === to ? [] : [{ field, from, to }];
  });
  const id = row.id === null ? null : find(row.id ?? "id");
  return { target: id === null && name === "" ? null : { id, name: name || null }, changes };
}

/** Returns the project that a call concerns, even if the call's path does not contain a project. */
export function projectOf({ project, answer, noted }: CompletedCall): string | null {
  if (project !== null) return project;
  const candidates = [noted.before?.project, isFacts(answer) ? answer.project : undefined];
  return candidates.find((each) => typeof each === "string" && each !== "") as string ?? null;
}
