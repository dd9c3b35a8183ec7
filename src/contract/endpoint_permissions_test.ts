import assert from "node:assert/strict";
import type { Endpoint } from "./endpoint.ts";
import { ENDPOINT_PERMISSIONS, isOfOneProject, lackedFor } from "./endpoint_permissions.ts";
import { endpoints } from "./endpoints.ts";
import { type Permission, PERMISSION_NAMES } from "./permissions.ts";

const NAMES = Object.keys(endpoints) as (keyof typeof endpoints)[];
const endpointOf = (name: keyof typeof endpoints) => endpoints[name] as unknown as Endpoint;

/**
 * Returns the endpoints that change something and that a key with only this permission can call.
 */
const changedBy = (permission: Permission) =>
  NAMES.filter((name) => {
    const { access, method } = endpointOf(name);
    return access !== "anyone" && method !== "GET" &&
      lackedFor(endpoints[name], [permission]) === undefined;
  }).sort();

Deno.test("the table of permissions lists every endpoint, and nothing else", () => {
  assert.deepEqual(Object.keys(ENDPOINT_PERMISSIONS).sort(), [...NAMES].sort());
});

Deno.test("an endpoint that is not in a table requires the everything permission", () => {
  const unknown = { method: "GET", path: "/v1/new" } as const;
  assert.deepEqual(lackedFor(unknown, ["read", "rules"]), ["everything"]);
  assert.equal(lackedFor(unknown, ["everything"]), undefined);
});

Deno.test("a permission allows changes only to the resources that it is named after", () => {
  const deploys = [
    "activateDeployment",
    "buildSources",
    "cancelBuild",
    "checkDeployment",
    "createDeployment",
    "createShare",
    "deleteShare",
    "migrateDeployment",
    "postBlobs",
    "putBlob",
    "redeployDeployment",
    "signOut",
    "stageDeployment",
    "startBuild",
    "stopDeployment",
  ];
  assert.deepEqual(changedBy("read"), ["signOut"]);
  assert.deepEqual(changedBy("deploy-previews"), deploys);
  assert.deepEqual(
    changedBy("deploy-production"),
    [...deploys, "finishRelease", "promoteDeployment", "rollback", "withdrawRelease"].sort(),
  );
  assert.deepEqual(changedBy("rules"), ["deleteRules", "putRules", "restoreRules", "signOut"]);
  assert.deepEqual(changedBy("variables"), ["deleteVariable", "setVariable", "signOut"]);
});

Deno.test("only the everything permission allows reading secrets and stored data", () => {
  const most = PERMISSION_NAMES.filter((each) => each !== "everything");
  for (
    const name of [
      "exportVariables",
      "getDatabaseConnection",
      "exportDatabase",
      "queryDatabase",
      "getKvValue",
      "listKv",
      "listQueueMessages",
      "listFormSubmissions",
      "createApiKey",
      "listApiKeys",
      "updateApiKey",
      "listAudit",
    ] as (keyof typeof endpoints)[]
  ) assert.deepEqual(lackedFor(endpoints[name], most), ["everything"], name);
});

Deno.test("a key with the variables permission cannot read variables", () => {
  assert.deepEqual(lackedFor(endpoints.listVariables, ["variables"]), ["read"]);
});

Deno.test("keys limited to projects can call only endpoints about one project", () => {
  const shared = NAMES.filter((name) => isOfOneProject(endpoints[name]))
    .filter((name) => !/\{(project|deployment|build)\}/.test(endpoints[name].path)).sort();
  assert.deepEqual(shared, [
    "getIdentity",
    "listProjects",
    "listWorkspaces",
    "postBlobs",
    "putBlob",
    "signOut",
  ]);
});
