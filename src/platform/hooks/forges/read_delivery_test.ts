import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { ForgeEvent } from "./forge_event.ts";
import { deliveryOf, isSigned, readDelivery } from "./read_delivery.ts";

const NONE = "0".repeat(40);
const SHA = "a".repeat(40);
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const recorded = (name: string) =>
  Deno.readFileSync(new URL(`../../../../fixtures/forges/${name}.json`, import.meta.url));

const side = (ref: string, full_name = "ada/shop") => ({ ref, repo: { full_name } });
const gitlab = (more: Readonly<Record<string, unknown>>) => ({
  object_kind: "merge_request",
  object_attributes: {
    state: "opened",
    source_branch: "menu",
    source_project_id: 1,
    target_project_id: 1,
    ...more,
  },
});
const cloud = (state: string, fork = "ada/shop") => ({
  pullrequest: {
    id: 3,
    state,
    source: { branch: { name: "menu" }, repository: { full_name: fork } },
    destination: { branch: { name: "main" }, repository: { full_name: "ada/shop" } },
  },
});
const server = (state: string, id = 1) => ({
  pullRequest: {
    id: 4,
    state,
    fromRef: { displayId: "menu", repository: { id } },
    toRef: { displayId: "main", repository: { id: 1 } },
  },
});

const named = (branch: string, pull?: number) => pull === undefined ? { branch } : { branch, pull };
const deploy = (branch: string, pull?: number): ForgeEvent => ({
  type: "deploy",
  ...named(branch, pull),
});
const stop = (branch: string, pull?: number): ForgeEvent => ({
  type: "stop",
  ...named(branch, pull),
});

/** The expected event, or a pattern for the reason why nothing happens. */
type ExpectedResult = ForgeEvent | RegExp;

const EVENTS:
  readonly (readonly [field: string, event: string, payload: unknown, ExpectedResult])[] = [
    ["x-github-event", "ping", recorded("github_ping"), /hook works/],
    ["x-github-event", "push", recorded("github_push"), deploy("master")],
    [
      "x-github-event",
      "pull_request",
      recorded("github_pull_request_opened"),
      deploy("changes", 2),
    ],
    ["x-github-event", "pull_request", recorded("github_pull_request_closed"), stop("changes", 2)],
    ["x-github-event", "push", { ref: "refs/heads/main", after: SHA }, deploy("main")],
    ["x-github-event", "push", { ref: "refs/heads/a", after: NONE, deleted: true }, stop("a")],
    ["x-github-event", "push", { ref: "refs/tags/v1", after: SHA }, /not a branch/],
    ["x-github-event", "star", {}, /event star/],
    ["x-github-event", "pull_request", {
      action: "synchronize",
      pull_request: { state: "open", head: side("menu", "eve/shop"), base: side("main") },
    }, /fork/],
    ["x-github-event", "pull_request", {
      action: "labeled",
      pull_request: { state: "open", head: side("menu"), base: side("main") },
    }, /no new commit/],
    ["x-gitea-event", "push", { ref: "refs/heads/main", after: SHA }, deploy("main")],
    ["x-forgejo-event", "delete", { ref: "menu", ref_type: "branch" }, stop("menu")],
    ["x-gitea-event", "pull_request_sync", {
      action: "synchronized",
      pull_request: { state: "open", head: side("menu"), base: side("main") },
    }, deploy("menu")],
    ["x-gitlab-event", "Push Hook", { ref: "refs/heads/main", after: SHA }, deploy("main")],
    ["x-gitlab-event", "Push Hook", { ref: "refs/heads/menu", after: NONE }, stop("menu")],
    ["x-gitlab-event", "Merge Request Hook", gitlab({ action: "open", iid: 9 }), deploy("menu", 9)],
    [
      "x-gitlab-event",
      "Merge Request Hook",
      gitlab({ action: "update", oldrev: SHA }),
      deploy("menu"),
    ],
    ["x-gitlab-event", "Merge Request Hook", gitlab({ action: "update" }), /no new commit/],
    [
      "x-gitlab-event",
      "Merge Request Hook",
      gitlab({ action: "merge", state: "merged" }),
      stop("menu"),
    ],
    ["x-gitlab-event", "Merge Request Hook", gitlab({ source_project_id: 2 }), /fork/],
    ["x-event-key", "diagnostics:ping", { test: true }, /hook works/],
    ["x-event-key", "repo:push", {
      push: { changes: [{ new: { type: "branch", name: "main" }, old: null }] },
    }, deploy("main")],
    ["x-event-key", "repo:push", {
      push: { changes: [{ new: null, old: { type: "branch", name: "menu" } }] },
    }, stop("menu")],
    ["x-event-key", "pullrequest:created", cloud("OPEN"), deploy("menu", 3)],
    ["x-event-key", "pullrequest:fulfilled", cloud("MERGED"), stop("menu", 3)],
    ["x-event-key", "pullrequest:updated", cloud("OPEN", "eve/shop"), /fork/],
    ["x-event-key", "pr:opened", server("OPEN"), deploy("menu", 4)],
    ["x-event-key", "pr:declined", server("DECLINED"), stop("menu", 4)],
    ["x-event-key", "pr:opened", server("OPEN", 2), /fork/],
    ["x-event-key", "repo:refs_changed", {
      changes: [{ refId: "refs/heads/menu", type: "DELETE" }],
    }, stop("menu")],
  ];

for (const [field, event, payload, wanted] of EVENTS) {
  const shown = wanted instanceof RegExp ? String(wanted) : `${wanted.type} of a branch`;
  Deno.test(`readDelivery() reads ${event} (${field}) as ${shown}`, async () => {
    const delivery = deliveryOf(new Headers({ [field]: event, "x-github-event": event }))!;
    const body = payload instanceof Uint8Array ? payload : bytes(payload);
    const { events } = await readDelivery(delivery, { body, type: "application/json" });
    const [found, ...more] = events;
    assert.deepEqual(more, []);
    if (wanted instanceof RegExp) {
      assert.match(found!.type === "ignore" ? found!.reason : found!.type, wanted);
    } else assert.deepEqual(found, wanted);
  });
}

Deno.test("readDelivery() reads the form that GitHub sends by default", async () => {
  const payload = JSON.stringify({ ref: "refs/heads/a&b", after: SHA });
  const body = new TextEncoder().encode(String(new URLSearchParams({ payload })));
  const type = "application/x-www-form-urlencoded";
  const { events } = await readDelivery({ forge: "github", event: "push" }, { body, type });
  assert.deepEqual(events, [deploy("a&b")]);
});

const HOSTILE: readonly (readonly [name: string, text: string, type: string])[] = [
  ["no JSON", "{", "application/json"],
  ["another type", "{}", "text/plain"],
  ["a form without payload", "a=b", "application/x-www-form-urlencoded"],
  ["an empty push", "{}", "application/json"],
  ["a number instead of a ref", '{"ref":1,"after":"x"}', "application/json"],
  ["null", "null", "application/json"],
  ["deep nesting", "[".repeat(100_000), "application/json"],
];

for (const [name, text, type] of HOSTILE) {
  Deno.test(`readDelivery() refuses ${name}`, async () => {
    const body = new TextEncoder().encode(text);
    await assert.rejects(readDelivery({ forge: "github", event: "push" }, { body, type }), {
      name: "PayloadError",
    });
  });
}

Deno.test("isSigned() accepts only each forge's exact signature", () => {
  const secret = "f".repeat(64);
  const body = bytes({ ref: "refs/heads/main" });
  const hmac = createHmac("sha256", secret).update(body).digest("hex");
  const wrong = createHmac("sha256", `${secret}0`).update(body).digest("hex");
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["x-hub-signature-256", `sha256=${hmac}`, true],
    ["x-hub-signature", `sha256=${hmac}`, true],
    ["x-gitea-signature", hmac, true],
    ["x-gitlab-token", secret, true],
    ["x-hub-signature-256", `sha256=${wrong}`, false],
    ["x-hub-signature-256", `sha256=${hmac.slice(1)}`, false],
    ["x-hub-signature-256", `sha1=${hmac}`, false],
    ["x-hub-signature-256", "", false],
    ["x-gitlab-token", secret.slice(1), false],
    ["x-gitlab-token", hmac, false],
    ["authorization", `Bearer ${secret}`, false],
  ];
  for (const [field, value, wanted] of rows) {
    assert.equal(isSigned(new Headers({ [field]: value }), { body, secret }), wanted, field);
  }
  const changed = bytes({ ref: "refs/heads/other" });
  const headers = new Headers({ "x-hub-signature-256": `sha256=${hmac}` });
  assert.equal(isSigned(headers, { body: changed, secret }), false);
});
