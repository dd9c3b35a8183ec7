/**
 * The events that the platform notifies people of. To add an event, add a row to `EVENTS`. Types,
 * checks, the API, the OpenAPI document, the CLI, emails, pages, docs and test samples are derived
 * from the row. The strings in a row are templates for `event_words.ts`.
 *
 * @module
 */
import * as z from "zod";
import {
  announcementData,
  cardData,
  deploymentData,
  type EventData,
  formData,
  healthData,
  invoiceData,
  limitData,
  maintenanceData,
  paymentData,
  planData,
  platformHealthData,
  securityData,
} from "./event_data.ts";

export const EVENT_CATEGORIES = [
  "Deployment",
  "Health",
  "Billing",
  "Security",
  "System",
] as const;
export type EventCategory = (typeof EVENT_CATEGORIES)[number];

/** Sorted by decreasing urgency. The index is the priority's number. */
export const PRIORITIES = ["CRITICAL", "HIGH", "NORMAL", "LOW"] as const;
export type Priority = (typeof PRIORITIES)[number];

type Schema = z.ZodObject<Readonly<Record<string, z.ZodType>>>;

/** An event. Its title and body are templates. */
export interface EventKind {
  readonly category: EventCategory;
  readonly priority: Priority;
  readonly data: Schema;
  readonly title: string;
  readonly body: string;
  /**
   * The part of the email's subject that follows the project, workspace or host. Defaults to the
   * title.
   */
  readonly subject?: string;
  /**
   * Pages that the notification can open, as templates of paths or URLs. The first one whose values
   * are all present is used.
   */
  readonly opens: readonly string[];
}

const PAGE = "/deployments/{deploymentId}";

/** Returns a function that creates rows with the same category and kind of data. */
const kind = <const Category extends EventCategory, const Data extends Schema>(
  category: Category,
  data: Data,
  opens: readonly string[] = ["{url}"],
) =>
(priority: Priority, title: string, body: string, opensFirst: readonly string[] = []) => ({
  category,
  priority,
  data,
  title,
  body,
  opens: [...opensFirst, ...opens, `/notifications?category=${category}`],
});

/** Adds the subject of the email to a row. */
const named = <Row extends object>(subject: string, row: Row) => ({ ...row, subject });

const aboutDeployment = kind("Deployment", deploymentData, [PAGE]);
/**
 * Creates a row. `what` completes the subject of the email: "production is live (main at 8f14e45)".
 */
const deployment = (what: string, ...row: Parameters<typeof aboutDeployment>) =>
  named(`{place} ${what}[ ({version})]`, aboutDeployment(...row));
const aboutHealth = kind("Health", healthData, ["{url}", PAGE]);
const health = (subject: string, ...row: Parameters<typeof aboutHealth>) =>
  named(subject, aboutHealth(...row));
const platform = kind("Health", platformHealthData);
const payment = kind("Billing", paymentData);
const invoice = kind("Billing", invoiceData);
const plan = kind("Billing", planData);
const limit = kind("Billing", limitData);
const card = kind("Billing", cardData);
const maintenance = kind("System", maintenanceData);
const announcement = kind("System", announcementData);
const form = kind("System", formData);
const account = kind("Security", securityData, ["/account/activity"]);
const security = (priority: Priority, title: string) =>
  named(
    `${title}[ from {address}]`,
    account(priority, title, `{detail|${title}}[, from {address}][ ({country})]`),
  );

export const EVENTS = {
  "deployment.started": deployment(
    "is deploying",
    "LOW",
    "{project}: deployment started",
    "{deployment} started",
  ),
  "deployment.building": deployment(
    "is building",
    "LOW",
    "{project}: build started",
    "{deployment} is building",
  ),
  "deployment.build_success": deployment(
    "was built",
    "LOW",
    "{project}: build succeeded",
    "{deployment} was built",
  ),
  "deployment.build_failed": deployment(
    "failed to build",
    "CRITICAL",
    "{project}: build failed",
    "{deployment} failed to build[: {error}]",
  ),
  "deployment.live": deployment("is live", "NORMAL", "{project} is live", "{deployment} is live", [
    "{url}",
  ]),
  "deployment.failed": deployment(
    "failed to deploy",
    "CRITICAL",
    "{project}: deployment failed",
    "{deployment} failed[: {error}]",
  ),
  "deployment.stopped": deployment(
    "was stopped",
    "NORMAL",
    "{project}: deployment stopped",
    "{deployment} was stopped",
  ),
  "deployment.rolled_back": deployment(
    "was rolled back",
    "NORMAL",
    "{project} was rolled back",
    "{deployment} was rolled back",
    ["{url}"],
  ),
  "deployment.withdrawn": deployment(
    "was withdrawn",
    "HIGH",
    "{project}: release withdrawn",
    "{deployment} was withdrawn[: {error}]",
  ),
  "health.check_failed": health(
    "health check failed[: {reason}]",
    "HIGH",
    "{project} failed its health check",
    "Health check[ of {url}] failed[: {reason}]",
  ),
  "health.recovered": health(
    "healthy again",
    "NORMAL",
    "{project} is healthy again",
    "Health check[ of {url}] passed[: {reason}]",
  ),
  "health.backup_failed": platform(
    "CRITICAL",
    "Backup failed",
    "The platform could not be backed up[: {reason}]",
  ),
  "health.backup_recovered": platform(
    "NORMAL",
    "Backups work again",
    "The platform was backed up[: {reason}]",
  ),
  "health.new_error": health(
    "new error[: {reason}]",
    "HIGH",
    "New error in {project|a project}",
    "{reason|An error occurred for the first time}",
  ),
  "billing.payment_succeeded": named(
    "Payment[ of {money}] received",
    payment(
      "NORMAL",
      "Payment received",
      "Your payment[ of {money}][ for invoice {invoiceId}] was received",
    ),
  ),
  "billing.payment_failed": named(
    "Payment[ of {money}] failed",
    payment(
      "CRITICAL",
      "Payment failed",
      "Your payment[ of {money}][ for invoice {invoiceId}][ with the card ending in {cardLast4}] failed[: {reason}]",
    ),
  ),
  "billing.invoice_created": named(
    "New invoice[ {invoiceId}][ for {money}]",
    invoice(
      "LOW",
      "New invoice",
      "Invoice[ {invoiceId}][ for {money}] was issued[, due {dueDate:moment}]",
    ),
  ),
  "billing.invoice_paid": named(
    "Invoice[ {invoiceId}][ for {money}] was paid",
    invoice(
      "NORMAL",
      "Invoice paid",
      "Invoice[ {invoiceId}][ for {money}] was paid",
    ),
  ),
  "billing.invoice_overdue": named(
    "Invoice[ {invoiceId}][ for {money}] is overdue",
    invoice(
      "HIGH",
      "Invoice overdue",
      "Invoice[ {invoiceId}][ for {money}] is overdue[. It was due on {dueDate:moment}]",
    ),
  ),
  "billing.trial_ending_soon": named(
    "Your trial ends {endsAt:on|soon}",
    plan(
      "HIGH",
      "Your trial ends soon",
      "Your[ {plan}] trial ends {endsAt:on|soon}",
    ),
  ),
  "billing.trial_ended": plan(
    "HIGH",
    "Your trial has ended",
    "Your[ {plan}] trial ended[ {endsAt:on}]",
  ),
  "billing.limit_approaching": named(
    "Limit[ for {resource}] almost reached",
    limit(
      "NORMAL",
      "Limit almost reached",
      "You have almost reached the limit[ for {resource}][: {used} of {limit} {unit|}]",
    ),
  ),
  "billing.limit_exceeded": named(
    "Limit[ for {resource}] exceeded",
    limit(
      "HIGH",
      "Limit exceeded",
      "You have exceeded the limit[ for {resource}][: {used} of {limit} {unit|}]",
    ),
  ),
  "billing.subscription_cancelled": plan(
    "NORMAL",
    "Subscription cancelled",
    "Your[ {plan}] subscription was cancelled[ and ends {endsAt:on}]",
  ),
  "billing.subscription_suspended": plan(
    "CRITICAL",
    "Subscription suspended",
    "Your[ {plan}] subscription is suspended[: {reason}]",
  ),
  "billing.card_expiring_soon": card(
    "HIGH",
    "Your card expires soon",
    "Your {cardBrand|card}[ ending in {cardLast4}] expires {expiresAt:on|soon}",
  ),
  "billing.card_expired": card(
    "CRITICAL",
    "Your card has expired",
    "Your {cardBrand|card}[ ending in {cardLast4}] expired[ {expiresAt:on}]",
  ),
  "security.new_login": security("NORMAL", "New sign-in"),
  "security.suspicious_activity": security("CRITICAL", "Suspicious activity"),
  "security.api_key_created": security("NORMAL", "API key created"),
  "security.api_key_changed": security("NORMAL", "API key changed"),
  "security.api_key_revoked": security("HIGH", "API key revoked"),
  "security.publisher_added": security("NORMAL", "Trusted publisher added"),
  "security.publisher_removed": security("NORMAL", "Trusted publisher removed"),
  "security.password_changed": security("CRITICAL", "Password changed"),
  "security.two_factor_enabled": security("NORMAL", "Two-factor authentication turned on"),
  "security.two_factor_enrollment_started": security(
    "NORMAL",
    "Two-factor authentication setup started",
  ),
  "system.maintenance_scheduled": named(
    "Maintenance {startsAt:on|scheduled}",
    maintenance(
      "NORMAL",
      "Maintenance scheduled",
      "Maintenance is planned[ from {startsAt:moment}][ until {endsAt:moment}][: {detail}]",
    ),
  ),
  "system.feature_announcement": announcement(
    "LOW",
    "{title|New feature}",
    "{detail|A new feature is available}",
  ),
  "form.submitted": named(
    "New message from the form[ {form}]",
    form(
      "NORMAL",
      "{project}: new message from the form {form}",
      "{text|Someone submitted the form}",
    ),
  ),
  "form.full": named(
    "The form[ {form}] is full",
    form("HIGH", "{project}: the form {form} is full", "{text|Messages from visitors are lost}"),
  ),
};

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];
export const eventName = z.enum(EVENT_NAMES as [EventName, ...EventName[]]);

/** Events in the category Security, which are kept in the audit log of accounts. */
export type SecurityEventName = {
  [Name in EventName]: (typeof EVENTS)[Name]["category"] extends "Security" ? Name : never;
}[EventName];
export const securityEventName = z.enum(
  EVENT_NAMES.filter((name) => EVENTS[name].category === "Security") as [
    SecurityEventName,
    ...SecurityEventName[],
  ],
);

/** Returns example data for an event, with all known fields. */
export function sampleEventData(event: EventName): EventData {
  const example = (schema: z.ZodType) => schema.meta()!.example as EventData[string];
  const fields = Object.entries((EVENTS[event] as EventKind).data.shape);
  return Object.fromEntries(fields.map(([name, schema]) => [name, example(schema)]));
}
