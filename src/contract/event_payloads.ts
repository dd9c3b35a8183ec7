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
const amount = z.number("Must be a number").min(0, "Must not be negative");
const currency = z.string("Must be a text, such as EUR")
  .regex(/^[A-Z]{3}$/, "Must be a currency of ISO 4217, such as EUR");
const lastFour = z.string('Must be a text of the last 4 digits of the card, in quotes: "4242"')
  .regex(/^\d{4}$/, "Must be the last 4 digits of the card");

function payload<Shape extends Record<string, z.ZodType>>(shape: Shape) {
  const fields = Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, schema.nullable().optional()]),
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

const project = { projectId: uuid, project: text(100), deploymentId: uuid, url: httpUrl };

const deployment = payload({
  ...project,
  environment: text(100),
  branch: text(255),
  commitSha: text(64),
  error: text(MAX_EVENT_TEXT),
}).meta({ id: "DeploymentEventData" });

const health = payload({ ...project, reason: text(MAX_EVENT_TEXT) }).meta({
  id: "HealthEventData",
});

const payment = payload({
  amount,
  currency,
  invoiceId: text(100),
  cardLast4: lastFour,
  reason: text(500),
  url: httpUrl,
}).meta({ id: "PaymentEventData" });

const invoice = payload({
  amount,
  currency,
  invoiceId: text(100),
  dueDate: moment,
  url: httpUrl,
}).meta({ id: "InvoiceEventData" });

const plan = payload({ plan: text(100), endsAt: moment, reason: text(500), url: httpUrl })
  .meta({ id: "PlanEventData" });

const limit = payload({
  resource: text(100),
  used: amount,
  limit: amount,
  unit: text(40),
  url: httpUrl,
}).meta({ id: "LimitEventData" });

const card = payload({
  cardLast4: lastFour,
  cardBrand: text(40),
  expiresAt: text(40),
  url: httpUrl,
}).meta({ id: "CardEventData" });

const security = payload({ detail: text(500), address: text(100), country: text(64) })
  .meta({ id: "SecurityEventData" });

const maintenance = payload({
  startsAt: moment,
  endsAt: moment,
  detail: text(MAX_EVENT_TEXT),
  url: httpUrl,
}).meta({ id: "MaintenanceEventData" });

const announcement = payload({ title: text(120), detail: text(MAX_EVENT_TEXT), url: httpUrl })
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
