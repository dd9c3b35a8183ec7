/**
 * What each event says beside its name. Every field may be left out, as those
 * who raise an event through the API know only some; what a field holds is
 * checked. Further fields, flat ones, travel along for automations.
 *
 * @module
 */
import * as z from "zod";
import { uuid } from "./common.ts";
import type { EventName } from "./events.ts";

/** Most fields of one event. */
export const MAX_EVENT_FIELDS = 40;
const MAX_NAME = 64;
/** Longest text of one field, in characters. */
export const MAX_EVENT_TEXT = 2000;
/** Longest data of one event, as JSON, in characters. */
const MAX_DATA = 16_000;

const text = (maximum: number) =>
  z.string("Must be a text").max(maximum, `Must have at most ${maximum} characters`);

const httpUrl = text(2048).refine((address) => {
  const url = URL.parse(address);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}, "Must be an http or https URL");

const scalar = z.union(
  [text(MAX_EVENT_TEXT), z.number(), z.boolean(), z.null()],
  "Must be a text, a number, true, false or null",
);

const moment = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  "Must be an ISO 8601 date or time",
);
const amount = z.number("Must be a number").min(0, "Must not be negative")
  .meta({ description: "Amount in the currency", example: 29.9 });
const currency = z.string("Must be a text, such as EUR")
  .regex(/^[A-Z]{3}$/, "Must be a currency of ISO 4217, such as EUR")
  .meta({ description: "Currency as ISO 4217 code", example: "EUR" });
const lastFour = z.string('Must be a text of the last 4 digits of the card, in quotes: "4242"')
  .regex(/^\d{4}$/, "Must be the last 4 digits of the card")
  .meta({ description: "Last four digits of the card", example: "4242" });
const invoiceId = text(100).meta({ description: "Number of the invoice", example: "2026-0042" });

function payload<Shape extends Record<string, z.ZodType>>(shape: Shape) {
  const fields = Object.fromEntries(
    Object.entries(shape).map((
      [name, schema],
    ) => [name, schema.nullable().optional().meta(schema.meta() ?? {})]),
  ) as { [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>> };
  return z.object(fields).catchall(scalar).refine((data) => {
    const names = Object.keys(data);
    return names.length <= MAX_EVENT_FIELDS && names.every((name) => name.length <= MAX_NAME);
  }, `Must have at most ${MAX_EVENT_FIELDS} fields, with names of at most ${MAX_NAME} characters`)
    .refine(
      (data) => JSON.stringify(data).length <= MAX_DATA,
      `Must have at most ${MAX_DATA} characters as JSON`,
    );
}

const url = httpUrl.meta({
  description: "URL that the notification opens",
  example: "https://shop.example.net/",
});
const reason = text(500).meta({ description: "Reason", example: "Card was declined" });
const detail = text(MAX_EVENT_TEXT).meta({
  description: "Details for people",
  example: "Scheduled for Sunday night",
});
const endsAt = moment.meta({ description: "Day or time of the end", example: "2026-12-01" });
const project = {
  projectId: uuid.describe("Id of the project"),
  project: text(100).meta({ description: "Name of the project", example: "shop" }),
  deploymentId: uuid.describe("Id of the deployment"),
  url,
};

const deployment = payload({
  ...project,
  environment: text(100).meta({
    description: "Name of the environment",
    example: "production",
  }),
  branch: text(255).meta({ description: "Git branch", example: "main" }),
  commitSha: text(64).meta({ description: "SHA of the commit", example: "8f14e45" }),
  error: text(MAX_EVENT_TEXT).meta({
    description: "Why it failed",
    example: "npm run build exited with code 1",
  }),
}).meta({ id: "DeploymentEventData" });

const health = payload({
  ...project,
  reason: text(MAX_EVENT_TEXT).meta({
    description: "What the check found",
    example: "No response in 10 seconds",
  }),
}).meta({
  id: "HealthEventData",
});

const payment = payload({
  amount,
  currency,
  invoiceId,
  cardLast4: lastFour,
  reason,
  url,
}).meta({ id: "PaymentEventData" });

const invoice = payload({
  amount,
  currency,
  invoiceId,
  dueDate: moment.meta({ description: "Day or time when it is due", example: "2026-12-01" }),
  url,
}).meta({ id: "InvoiceEventData" });

const plan = payload({
  plan: text(100).meta({ description: "Name of the plan", example: "Team" }),
  endsAt,
  reason,
  url,
})
  .meta({ id: "PlanEventData" });

const limit = payload({
  resource: text(100).meta({ description: "Limited resource", example: "Build minutes" }),
  used: amount.meta({ description: "Used so far", example: 90 }),
  limit: amount.meta({ description: "The limit", example: 100 }),
  unit: text(40).meta({ description: "Unit of both", example: "minutes" }),
  url,
}).meta({ id: "LimitEventData" });

const card = payload({
  cardLast4: lastFour,
  cardBrand: text(40).meta({ description: "Brand of the card", example: "Visa" }),
  expiresAt: text(40).meta({ description: "When the card expires", example: "04/2027" }),
  url,
}).meta({ id: "CardEventData" });

const security = payload({
  detail: text(500).meta({ description: "What happened", example: "Firefox on Linux" }),
  address: text(100).meta({ description: "IP address of the client", example: "203.0.113.7" }),
  country: text(64).meta({ description: "Country of the address", example: "DE" }),
})
  .meta({ id: "SecurityEventData" });

const maintenance = payload({
  startsAt: moment.meta({ description: "Day or time of the start", example: "2026-12-01" }),
  endsAt,
  detail,
  url,
}).meta({ id: "MaintenanceEventData" });

const announcement = payload({
  title: text(120).meta({ description: "Title", example: "Regions in Asia" }),
  detail,
  url,
})
  .meta({ id: "AnnouncementEventData" });

/** The data of every event. */
export const EVENT_PAYLOADS = {
  "deployment.started": deployment,
  "deployment.building": deployment,
  "deployment.build_success": deployment,
  "deployment.build_failed": deployment,
  "deployment.live": deployment,
  "deployment.failed": deployment,
  "deployment.stopped": deployment,
  "deployment.rolled_back": deployment,
  "health.check_failed": health,
  "health.recovered": health,
  "health.new_error": health,
  "billing.payment_succeeded": payment,
  "billing.payment_failed": payment,
  "billing.invoice_created": invoice,
  "billing.invoice_paid": invoice,
  "billing.invoice_overdue": invoice,
  "billing.trial_ending_soon": plan,
  "billing.trial_ended": plan,
  "billing.limit_approaching": limit,
  "billing.limit_exceeded": limit,
  "billing.subscription_cancelled": plan,
  "billing.subscription_suspended": plan,
  "billing.card_expiring_soon": card,
  "billing.card_expired": card,
  "security.new_login": security,
  "security.suspicious_activity": security,
  "security.api_key_created": security,
  "security.api_key_changed": security,
  "security.api_key_revoked": security,
  "security.publisher_added": security,
  "security.publisher_removed": security,
  "security.password_changed": security,
  "security.two_factor_enabled": security,
  "security.two_factor_enrollment_started": security,
  "system.maintenance_scheduled": maintenance,
  "system.feature_announcement": announcement,
} as const satisfies Readonly<Record<EventName, z.ZodType>>;

export type EventPayloads = {
  readonly [Name in EventName]: z.output<(typeof EVENT_PAYLOADS)[Name]>;
};
