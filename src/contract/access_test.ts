import assert from "node:assert/strict";
import { ACCESS_LEVELS, type Endpoint } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";

const all: [string, Endpoint][] = Object.entries(endpoints).map((
  [name, endpoint],
) => [name, endpoint as unknown as Endpoint]);
const namesOf = (keep: (endpoint: Endpoint) => boolean) =>
  all.filter(([, endpoint]) => keep(endpoint)).map(([name]) => name).sort();

Deno.test("every endpoint declares who may call it", () => {
  for (const [name, { access, auth }] of all) {
    assert.ok(ACCESS_LEVELS.includes(access), name);
    assert.equal(access === "anyone", auth === "none", name);
  }
});

Deno.test("only owners can manage members, keys and the workspace, or delete projects", () => {
  assert.deepEqual(namesOf(({ access }) => access === "owner"), [
    "addEdge",
    "changeMember",
    "createApiKey",
    "createInvitation",
    "createPublisher",
    "createWebhook",
    "deleteInvitation",
    "deleteProject",
    "deletePublisher",
    "deleteWebhook",
    "drainEdge",
    "getBackups",
    "getWebhook",
    "listApiKeys",
    "listAudit",
    "listEdges",
    "listInvitations",
    "listNodes",
    "listPlatformDrains",
    "listPublishers",
    "listSecurityEvents",
    "listWebhookDeliveries",
    "listWebhooks",
    "listWorkspaceDeadLetters",
    "redeliverWebhook",
    "removeEdge",
    "removeMember",
    "renameWorkspace",
    "resendWorkspaceDeadLetter",
    "resendWorkspaceDeadLetters",
    "revokeApiKey",
    "rotateWebhookSecret",
    "testWebhook",
    "triggerEvent",
    "updateApiKey",
    "updateWebhook",
  ]);
});

Deno.test("a viewer can change only their own membership", () => {
  const writing = namesOf(({ access, method }) => access === "viewer" && method !== "GET");
  assert.deepEqual(writing, ["leaveWorkspace"]);
});

Deno.test("only the listed endpoints can be called without credentials", () => {
  assert.deepEqual(namesOf(({ access }) => access === "anyone"), [
    "claimOwner",
    "completePasswordReset",
    "confirmSignUp",
    "getHealth",
    "getOAuthMetadata",
    "getOpenApi",
    "getTriggeredDeployment",
    "getVapidKey",
    "pollDeviceToken",
    "requestPasswordReset",
    "signIn",
    "signInSecondFactor",
    "signUp",
    "startDevice",
    "triggerHook",
  ]);
});
