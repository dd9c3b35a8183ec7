import assert from "node:assert/strict";
import { endpoints } from "../../contract/endpoints.ts";
import type { AuditFacts } from "../core/http/mod.ts";
import { describedOperations, subjectOf } from "./audit_subjects.ts";
import { recordedName } from "./recorded_operations.ts";

const OF_WORKSPACES: ReadonlySet<string> = new Set(["viewer", "developer", "owner"]);

Deno.test("each operation recorded in the log has a subject, and no other operation does", () => {
  const recorded = Object.values(endpoints)
    .filter((endpoint) => OF_WORKSPACES.has(endpoint.access))
    .flatMap((endpoint) => recordedName(endpoint) ?? []);
  assert.deepEqual([...describedOperations].sort(), recorded.sort());
});

Deno.test("subjectOf() compares old and new values, and omits all other fields", () => {
  const subject = subjectOf("updateApiKey", {
    given: { key: "k1", name: "deploy" },
    answer: { id: "k1", name: "deploy", role: "viewer", key: "svc_secret", projects: null },
    noted: { before: { id: "k1", name: "ci", role: "viewer", projects: ["p1", "p2"] } },
  });
  assert.deepEqual(subject, {
    target: { id: "k1", name: "deploy" },
    changes: [
      { field: "name", from: "ci", to: "deploy" },
      { field: "projects", from: "p1, p2", to: null },
    ],
  });
});

Deno.test("subjectOf() shows a project's automatic redeploys only if they change", () => {
  const shop = { id: "p1", name: "shop", branch: "main", gitCredentials: null };
  const changesOf = (action: string, before: AuditFacts | undefined, answer: AuditFacts) =>
    subjectOf(action, { given: {}, answer, noted: before === undefined ? {} : { before } }).changes;
  const off = { ...shop, autoRedeploy: false };
  const on = { ...shop, autoRedeploy: true };
  assert.deepEqual(changesOf("updateProject", shop, on), [
    { field: "autoRedeploy", from: "false", to: "true" },
  ]);
  assert.deepEqual(changesOf("updateProject", on, { ...off, displayName: "Shop" }), [
    { field: "displayName", from: null, to: "Shop" },
    { field: "autoRedeploy", from: "true", to: "false" },
  ]);
  assert.deepEqual(changesOf("setGitCredentials", shop, { ...off, gitCredentials: "ssh" }), [
    { field: "gitCredentials", from: null, to: "ssh" },
  ]);
  assert.deepEqual(changesOf("createProject", undefined, off), [
    { field: "branch", from: null, to: "main" },
  ]);
});

Deno.test("subjectOf() lists the events that a webhook sends, and omits empty lists", () => {
  const webhook = { id: "w1", host: "hooks.example", description: null, enabled: true };
  const all = { ...webhook, events: [], categories: [] };
  const some = { ...webhook, events: ["member.joined"], categories: ["deployments"] };
  const changesOf = (action: string, before: AuditFacts | undefined, answer: AuditFacts) =>
    subjectOf(action, { given: {}, answer, noted: before === undefined ? {} : { before } }).changes;
  assert.deepEqual(changesOf("createWebhook", undefined, all), [
    { field: "host", from: null, to: "hooks.example" },
    { field: "events", from: null, to: "all events" },
    { field: "enabled", from: null, to: "true" },
  ]);
  assert.deepEqual(changesOf("updateWebhook", all, some), [
    { field: "events", from: "all events", to: "all of deployments, member.joined" },
  ]);
  assert.deepEqual(
    changesOf("createDrain", undefined, { host: "otlp.example", headerNames: [] }),
    [],
  );
});

Deno.test("subjectOf() limits the size of an entry", () => {
  const { target } = subjectOf("setKvValue", {
    given: { environment: "production", key: "k".repeat(2000), value: "hidden" },
    answer: { key: "k".repeat(2000), version: "1" },
    noted: {},
  });
  assert.ok(target!.name!.length < 600);
});
