/**
 * What the platform notifies people about (spec, "Events"): the 32 events of the
 * specification and some of our own, each of one category and one priority.
 *
 * @module
 */
import * as z from "zod";

export const EVENT_CATEGORIES = [
  "Deployment",
  "Health",
  "Billing",
  "Security",
  "System",
] as const;
export type EventCategory = (typeof EVENT_CATEGORIES)[number];

/** Most urgent first: the index is the number that the specification gives. */
export const PRIORITIES = ["CRITICAL", "HIGH", "NORMAL", "LOW"] as const;
export type Priority = (typeof PRIORITIES)[number];

interface EventKind {
  readonly category: EventCategory;
  readonly priority: Priority;
}

const of = (category: EventCategory, priority: Priority): EventKind => ({ category, priority });

export const EVENTS = {
  "deployment.started": of("Deployment", "LOW"),
  "deployment.building": of("Deployment", "LOW"),
  "deployment.build_success": of("Deployment", "LOW"),
  "deployment.build_failed": of("Deployment", "CRITICAL"),
  "deployment.live": of("Deployment", "NORMAL"),
  "deployment.failed": of("Deployment", "CRITICAL"),
  "deployment.stopped": of("Deployment", "NORMAL"),
  "deployment.rolled_back": of("Deployment", "NORMAL"),
  "health.check_failed": of("Health", "HIGH"),
  "health.recovered": of("Health", "NORMAL"),
  "health.new_error": of("Health", "HIGH"),
  "billing.payment_succeeded": of("Billing", "NORMAL"),
  "billing.payment_failed": of("Billing", "CRITICAL"),
  "billing.invoice_created": of("Billing", "LOW"),
  "billing.invoice_paid": of("Billing", "NORMAL"),
  "billing.invoice_overdue": of("Billing", "HIGH"),
  "billing.trial_ending_soon": of("Billing", "HIGH"),
  "billing.trial_ended": of("Billing", "HIGH"),
  "billing.limit_approaching": of("Billing", "NORMAL"),
  "billing.limit_exceeded": of("Billing", "HIGH"),
  "billing.subscription_cancelled": of("Billing", "NORMAL"),
  "billing.subscription_suspended": of("Billing", "CRITICAL"),
  "billing.card_expiring_soon": of("Billing", "HIGH"),
  "billing.card_expired": of("Billing", "CRITICAL"),
  "security.new_login": of("Security", "NORMAL"),
  "security.suspicious_activity": of("Security", "CRITICAL"),
  "security.api_key_created": of("Security", "NORMAL"),
  "security.api_key_changed": of("Security", "NORMAL"),
  "security.api_key_revoked": of("Security", "HIGH"),
  "security.publisher_added": of("Security", "NORMAL"),
  "security.publisher_removed": of("Security", "NORMAL"),
  "security.password_changed": of("Security", "CRITICAL"),
  "security.two_factor_enabled": of("Security", "NORMAL"),
  "security.two_factor_enrollment_started": of("Security", "NORMAL"),
  "system.maintenance_scheduled": of("System", "NORMAL"),
  "system.feature_announcement": of("System", "LOW"),
} as const satisfies Readonly<Record<string, EventKind>>;

export type EventName = keyof typeof EVENTS;
export const EVENT_NAMES = Object.keys(EVENTS) as readonly EventName[];

/** What an event says beside its name: flat, and never a secret. */
export const eventData = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
);
export type EventData = z.infer<typeof eventData>;
