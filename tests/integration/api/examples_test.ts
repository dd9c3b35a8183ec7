/**
 * Sends the OpenAPI document's example for every operation to a platform, as if it had been copied.
 * Only issued values (IDs, tokens, codes and versions) are replaced.
 */
import assert from "node:assert/strict";
import { openApiDocument } from "../../../src/contract/openapi.ts";
import { operationsOf } from "../../../src/contract/openapi/operations_of.ts";
import { authenticatorCode } from "../../helpers/authenticator.ts";
import { type TestPlatform, withPlatform } from "../../helpers/platform.ts";

type Operation = ReturnType<typeof operationsOf>[number];

/** Operations whose example this platform rejects, each with the status and the reason. */
const REFUSED: Readonly<Record<string, readonly [status: number, reason: string]>> = {
  listNodes: [403, "only the platform's owner can list nodes"],
  listEdges: [403, "only the platform's owner can see its edges"],
  addEdge: [403, "only the platform's owner can add edges"],
  drainEdge: [403, "only the platform's owner can drain edges"],
  removeEdge: [403, "only the platform's owner can remove edges"],
  getBackups: [403, "only the platform's owner can see its backups"],
  listPlatformDrains: [403, "only the platform's owner can see its drains"],
  changeMember: [409, "a workspace must keep an owner"],
  removeMember: [409, "a workspace must keep an owner"],
  leaveWorkspace: [409, "a workspace must keep an owner"],
  acceptInvitation: [404, "the token is in the URL that another person gets"],
  confirmSignUp: [404, "the token is sent by email"],
  requestPasswordReset: [409, "the platform does not send email"],
  completePasswordReset: [404, "the token is sent by email"],
  claimOwner: [404, "the token is in the platform's log"],
  addEmail: [409, "the account has an address"],
  confirmEmail: [404, "the token is sent by email"],
  denyDevice: [404, "the request has already been approved"],
  buildSources: [409, "the project is built from its git URL"],
  inspectRepository: [409, "the repository does not exist"],
  startBuild: [404, "the repository does not exist"],
  getBuild: [404, "nothing was built"],
  cancelBuild: [404, "nothing was built"],
  triggerHook: [404, "the repository does not exist"],
  getTriggeredDeployment: [404, "nothing was triggered"],
  stopDeployment: [409, "the deployment is live in production"],
  finishRelease: [409, "no release is in progress"],
  withdrawRelease: [409, "no release is in progress"],
  migrateDeployment: [409, "the deployment has no migration"],
  getError: [404, "nothing failed"],
  copyBlob: [404, "nothing was uploaded"],
  runCronTask: [404, "the deployment has no scheduled tasks"],
  sendQueueMessage: [404, "the deployment declares no queues"],
  listQueueMessages: [404, "the deployment declares no queues"],
  retryQueueMessage: [404, "the deployment declares no queues"],
  deleteQueueMessage: [404, "the deployment declares no queues"],
  retryQueue: [404, "the deployment declares no queues"],
  purgeQueue: [404, "the deployment declares no queues"],
  listFormSubmissions: [404, "the deployment has no forms"],
  deleteFormSubmission: [404, "the deployment has no forms"],
  purgeForm: [404, "the deployment has no forms"],
  resendDeadLetter: [404, "there are no dead letters"],
  resendWorkspaceDeadLetter: [404, "there are no dead letters"],
  deleteDeadLetter: [404, "there are no dead letters"],
  sendTestNotification: [409, "the platform does not send email"],
  createMessengerLink: [409, "the platform has no chat bot"],
  deleteMessengerLink: [404, "the platform has no chat bot"],
};

/**
 * These operations come first, in this order, because they create resources to which other
 * operations refer.
 */
const FIRST = [
  "signUp",
  "createWorkspace",
  "createWebhook",
  "createProject",
  "createDeployment",
  "putBlob",
  "postBlobs",
  "migrateDeployment",
  "stageDeployment",
  "activateDeployment",
  "triggerEvent",
  "createDatabase",
  "createDatabaseBranch",
  "createEnvironment",
  "setVariable",
  "setKvValue",
  "getRules",
  "putRules",
  "startTwoFactor",
  "confirmTwoFactor",
  "renewRecoveryCodes",
];

/**
 * These operations come last, in this order, because they delete or revoke resources that other
 * operations need.
 */
const LAST = [
  "pollDeviceToken",
  "listTools",
  "revokeTool",
  "revokeSession",
  "stopDeployment",
  "stopDatabase",
  "startDatabase",
  "moveDatabase",
  "deleteDatabase",
  "undeleteDatabase",
  "changePassword",
  "deleteProject",
  "leaveWorkspace",
  "signOut",
];

const isDelete = ({ method }: Operation): boolean => method === "DELETE";

function inOrder(operations: readonly Operation[]): Operation[] {
  const named = (names: readonly string[]) =>
    names.map((name) => operations.find(({ operation }) => operation.operationId === name)!);
  const rest = operations.filter(({ operation: { operationId } }) =>
    !FIRST.includes(operationId) && !LAST.includes(operationId)
  );
  return [
    ...named(FIRST),
    ...rest.filter((each) => !isDelete(each)),
    ...rest.filter(isDelete).reverse(),
    ...named(LAST),
  ];
}

/** Values that the platform has issued, by path parameter or field name. */
class Issued {
  readonly #values = new Map<string, string>();
  #secret = "";
  #step = -1;
  readonly #recoveryCodes: string[] = [];

  /** Stores the values that an operation's response issues. */
  // deno-lint-ignore no-explicit-any -- responses of any operation
  note(operation: string, path: string, json: any): void {
    const set = (name: string, value: unknown) =>
      typeof value === "string" && this.#values.set(name, value);
    // `/v1/deploy-hooks` creates a `hook`, which `/v1/deploy-hooks/{hook}` names.
    if (/^(?:create|add)/.test(operation)) {
      const name = path.split(/[/-]/).at(-1)!.replace(/s$/, "");
      set(name, json?.id ?? json?.[name]?.id);
    }
    set("workspaceId", operation === "createWorkspace" ? json.id : undefined);
    set("projectId", operation === "createProject" ? json.id : undefined);
    set("subscription_id", operation === "createPushSubscription" ? json.id : undefined);
    set("user", operation === "listMembers" ? json.items[0].userId : undefined);
    set("userCode", operation === "startDevice" ? json.user_code : undefined);
    set("device_code", operation === "startDevice" ? json.device_code : undefined);
    set("revision", operation === "putRules" ? json.revisionId : undefined);
    set("notification", operation === "listNotifications" ? json.items[0]?.id : undefined);
    const hasHookUrl = ["createHook", "regenerateHook"].includes(operation);
    set("hookToken", hasHookUrl ? json.url.split("/").at(-1) : undefined);
    set("version", operation === "setKvValue" ? json.version : undefined);
    set("delivery", operation === "listWebhookDeliveries" ? json.items[0]?.id : undefined);
    set("challenge", operation === "signIn" ? json.challenge : undefined);
    set("tool", operation === "listTools" ? json.items[0]?.id : undefined);
    // The requests no longer use the oldest session.
    set("session", operation === "listSessions" ? json.items.at(-1).id : undefined);
    if (operation === "startTwoFactor") this.#secret = json.secret;
    if (operation === "renewRecoveryCodes") this.#recoveryCodes.push(...json.recoveryCodes);
  }

  /**
   * Returns the value to send for a name in a request: an issued value, or the value in the
   * example.
   */
  replace(name: string, value: unknown, path: string): unknown {
    if (name === "code") {
      return this.#recoveryCodes.shift() ?? authenticatorCode(this.#secret, this.#step++);
    }
    if (name === "credential") return this.#values.get(name) ?? value;
    if (name === "key" && !path.startsWith("/v1/api-keys")) return value;
    if (name === "projects") return [this.#values.get("projectId")];
    const aliases: Readonly<Record<string, string>> = {
      deploymentId: "deployment",
      to: "deployment",
      base: "deployment",
      ...(path.startsWith("/v1/hooks/") ? { token: "hookToken" } : {}),
    };
    const isIssued = typeof value === "string" && /^[0-9a-f-]{36}$/.test(value);
    const issued = this.#values.get(aliases[name] ?? name);
    const isNamed = ["token", "userCode", "device_code", "revision", "version", "challenge"]
      .includes(name);
    return (isIssued || isNamed) && issued !== undefined ? issued : value;
  }
}

function requestOf({ method, path, operation }: Operation, issued: Issued) {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let url = path;
  for (const { in: where, name, example } of operation.parameters ?? []) {
    const value = String(issued.replace(name, example, path));
    if (where === "path") url = url.replace(`{${name}}`, encodeURIComponent(value));
    // A cursor refers to the last entry on a page, but no page has been read yet.
    if (where === "query" && name !== "cursor") query.set(name, value);
    if (where === "header" && !["Idempotency-Key", "Last-Event-ID"].includes(name)) {
      headers[name] = value;
    }
  }
  if (query.has("offset")) query.delete("cursor");
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const init: RequestInit & { headers: Record<string, string> } = { method, headers };
  if (type === undefined) return { url: `${url}?${query}`, init };
  const example = media!.example;
  const fields = typeof example === "object" && example !== null
    ? Object.fromEntries(
      Object.entries(example).map(([name, value]) => [name, issued.replace(name, value, path)]),
    )
    : {};
  if (type === "multipart/form-data") {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, new Blob([`${value}`]));
    return { url: `${url}?${query}`, init: { ...init, body: form } };
  }
  headers["content-type"] = type;
  const body = type === "application/json"
    ? JSON.stringify(fields)
    : type === "application/octet-stream"
    ? String(example)
    : new URLSearchParams(fields as Record<string, string>).toString();
  return { url: `${url}?${query}`, init: { ...init, body } };
}

/** Sends requests in the first account's session. */
class Session {
  #cookie = "";
  readonly #etags = new Map<string, string>();

  readonly #platform: TestPlatform;

  constructor(platform: TestPlatform) {
    this.#platform = platform;
  }

  async send(url: string, init: RequestInit & { headers: Record<string, string> }) {
    const { pathname } = new URL(url, "http://localhost");
    const base = pathname.replace(/\/revisions\/.*/, "");
    const version = this.#etags.get(base);
    const response = await fetch(new URL(url, `http://127.0.0.1:${this.#platform.port}`), {
      ...init,
      headers: {
        ...init.headers,
        "sec-fetch-site": "same-origin",
        ...(this.#cookie === "" ? {} : { cookie: this.#cookie }),
        ...(version !== undefined && "If-Match" in init.headers ? { "If-Match": version } : {}),
      },
    });
    const set = response.headers.get("set-cookie");
    if (set?.startsWith("svc_session=")) this.#cookie = set.slice(0, set.indexOf(";"));
    const etag = response.headers.get("etag");
    if (etag !== null) this.#etags.set(base, etag);
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      await response.body?.cancel();
      return { status: response.status, json: undefined };
    }
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, json: isJson ? JSON.parse(text) : undefined };
  }
}

/** Waits up to a minute until the database's branches exist. */
async function untilReady(session: Session): Promise<void> {
  const until = Date.now() + 60_000;
  const path = "/v1/projects/shop/databases/orders/branches?workspace=acme";
  for (;;) {
    const { json } = await session.send(path, { headers: {} });
    const items: { readonly state: string }[] = json?.items ?? [];
    if (items.every(({ state }) => state !== "creating") || Date.now() > until) return;
  }
}

Deno.test("every example in the OpenAPI document succeeds when it is sent", () =>
  withPlatform(async (platform) => {
    const document = openApiDocument({ version: "0.0.0", serverUrl: "http://localhost" });
    const session = new Session(platform);
    const issued = new Issued();
    const problems: string[] = [];
    for (const each of inOrder(operationsOf(document))) {
      const { operation: { operationId }, path } = each;
      const { url, init } = requestOf(each, issued);
      const { status, json } = await session.send(url, init);
      const [expected, reason] = REFUSED[operationId] ?? [];
      const isExpected = expected === undefined
        ? status >= 200 && status < 300
        : status === expected;
      if (!isExpected) {
        const wanted = expected === undefined ? "success" : `${expected} (${reason})`;
        problems.push(
          `${operationId} ${url}: expected ${wanted}, got ${status} ${JSON.stringify(json)}` +
            ` for ${init.body}`,
        );
      }
      if (status < 300) issued.note(operationId, path, json);
      if (path.includes("/databases")) await untilReady(session);
    }
    assert.deepEqual(problems, []);
  }));
