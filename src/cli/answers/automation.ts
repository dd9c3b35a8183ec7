/** @module Results of the commands for rules, hooks, builds, notifications and webhooks. */
import * as z from "zod";
import { endpoints as e } from "../../contract/endpoints.ts";
import { TRAILING_SLASHES } from "../../lib/page_urls.ts";
import type { Answers } from "./answers.ts";
import { count, deployment, diagnostic, nextCursor, ruleSet, text, yes } from "./parts.ts";

const hook = e.getHook.response;
const shownHook = z.object({
  hook,
  url: e.createHook.response.shape.url,
  secret: e.createHook.response.shape.secret,
});
const etag = text.nullable();
const activeRules = e.getRules.response.extend({ etag });
const webhook = e.getWebhook.response;

const ruleRef = z.object({ id: text, index: count });
const place = z.object({ line: count, column: count, length: count.optional() });

const outcome = z.discriminatedUnion("state", [
  z.object({ state: z.literal("applied") }),
  z.object({ state: z.literal("skipped"), reason: text }),
  z.object({
    state: z.literal("not_matched"),
    mismatch: z.object({ field: text, wanted: text, seen: text }),
  }),
  z.object({ state: z.literal("disabled") }),
]);

const decision = z.object({
  terminal: z.looseObject({ type: z.enum(["none", "deny", "rate_limited", "redirect"]) }),
  rewrite: z.looseObject({ type: z.enum(["internal", "external"]), rule: ruleRef }).optional(),
  cache: z.looseObject({ type: z.enum(["cache", "bypass"]), rule: ruleRef }).optional(),
  pipeline: z.object({ steps: z.array(z.looseObject({})), rule: ruleRef }).optional(),
  headerEdits: z.array(z.object({
    type: z.enum(["set", "remove"]),
    name: text,
    value: text.optional(),
  })),
  hits: z.array(z.object({ type: text, rule: ruleRef })),
  matched: z.array(count).describe("Indexes of the rules that took effect"),
});

const remark = z.object({ file: text, line: count, text, reason: text });

export const AUTOMATION_ANSWERS: Answers = {
  "rules check": z.object({
    file: text,
    valid: yes,
    rules: count,
    diagnostics: z.array(diagnostic),
  }),
  "rules explain": z.object({
    request: z.object({ method: text, host: text, path: text, rawQuery: text }),
    rules: z.array(z.object({
      id: text,
      name: text.optional(),
      index: count,
      phase: text,
      action: text,
      outcome,
    })),
    decision,
    summary: z.array(text),
  }),
  "rules test": z.object({
    results: z.array(z.object({
      name: text,
      passed: z.boolean(),
      failures: z.array(z.object({ field: text, wanted: text, seen: text })),
      matched: z.array(text),
      position: place.optional(),
    })),
    passed: count,
    failed: count,
    unreached: z.array(text).describe("Rules without a test"),
  }),
  "rules import": z.object({
    ruleSet,
    toml: text,
    read: count,
    imported: count,
    added: count.describe("Rules that were added or printed"),
    present: count.describe("Rules that the output already contained"),
    unsupported: z.array(remark),
    settings: z.strictObject({
      trailingSlash: z.enum(TRAILING_SLASHES).optional(),
      cleanUrls: z.boolean().optional(),
    }),
    notes: z.array(remark),
    diagnostics: z.array(diagnostic),
    output: text.nullable(),
  }),
  "rules list": activeRules.extend({ counters: e.listRuleCounters.response.shape.items }),
  "rules publish": activeRules,
  "rules remove": activeRules,
  "rules revisions": z.object({ revisions: e.listRuleRevisions.response.shape.items, nextCursor }),
  "rules restore": activeRules,
  "hooks list": z.object({ hooks: z.array(hook) }),
  "hooks create": shownHook,
  "hooks rename": z.object({ hook }),
  "hooks regenerate": shownHook,
  "hooks delete": z.object({ deleted: yes, hook }),
  "hooks trigger": z.object({ deployment: e.triggerHook.response }),
  "builds list": z.object({ builds: e.listBuilds.response.shape.items, nextCursor }),
  "builds start": z.object({ deployment }),
  "builds cancel": z.object({ build: e.cancelBuild.response }),
  "notifications list": z.object({
    notifications: e.listNotifications.response.shape.items,
    total: count,
  }),
  "notifications read": z.object({ read: count }),
  "notifications archive": z.object({ archived: count }),
  "notifications delete": z.object({ deleted: count }),
  "notifications preferences": e.getPreferences.response,
  "notifications test": e.sendTestNotification.response,
  "notifications dead-letters": z.object({
    deadLetters: e.listDeadLetters.response.shape.items,
    nextCursor,
  }),
  "notifications resend": z.object({ resent: count }),
  "webhooks list": z.object({ webhooks: z.array(webhook) }),
  "webhooks create": z.object({ webhook, secret: e.createWebhook.response.shape.secret }),
  "webhooks delete": z.object({ deleted: yes }),
  "webhooks deliveries": z.object({
    deliveries: e.listWebhookDeliveries.response.shape.items,
    nextCursor,
  }),
  "webhooks redeliver": e.redeliverWebhook.response,
  "webhooks test": e.testWebhook.response,
  "trigger": e.triggerEvent.response,
};

/** Schemas of the lines that streaming commands print. */
export const AUTOMATION_LINES: Answers = {
  "notifications watch": e.streamNotifications.response,
};
