/**
 * The data of events: fields with their checks, descriptions and examples, and the shapes that
 * several events share.
 *
 * All fields are optional, because someone who raises an event through the API might know only some
 * of them. Known fields are validated. Other flat fields are passed on unchanged.
 *
 * @module
 */
import * as z from "zod";
import { uuid } from "./common.ts";

/** Maximum number of fields in one event. */
const MAX_EVENT_FIELDS = 40;
const MAX_NAME = 64;
/** Maximum length of one text field, in characters. */
export const MAX_EVENT_TEXT = 2000;
/** Maximum length of an event's data as JSON, in characters. */
const MAX_DATA = 16_000;

/** The data of any event. It is flat, and never contains a secret. */
export const eventData = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
);
export type EventData = z.infer<typeof eventData>;

/** Declares a field of an event, with a description and an example for documents and tests. */
function field<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: z.output<Schema>,
): Schema {
  return schema.meta({ description, example });
}

const text = (maximum: number) =>
  z.string("Must be a string").max(maximum, `Must be at most ${maximum} characters`);

/** Declares a text field with at most `maximum` characters. */
const line = (maximum: number, description: string, example: string) =>
  field(text(maximum), description, example);

const scalar = z.union(
  [text(MAX_EVENT_TEXT), z.number(), z.boolean(), z.null()],
  "Must be a string, a number, true, false or null",
);
const moment = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  "Must be an ISO 8601 date or time",
);
const amount = z.number("Must be a number").min(0, "Must not be negative");
const httpUrl = text(2048).refine((address) => {
  const url = URL.parse(address);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}, "Must be an http or https URL");

/**
 * Declares the data of an event with the given fields, as the component `id` in the OpenAPI
 * document.
 */
function data<Shape extends Record<string, z.ZodType>>(id: string, shape: Shape) {
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
      `Must be at most ${MAX_DATA} characters as JSON`,
    ).meta({ id });
}

const url = field(httpUrl, "URL that the notification opens", "https://shop.example.net/");
const detail = (example: string) => line(MAX_EVENT_TEXT, "Human-readable details", example);
const endsAt = field(moment, "Day or time of the end", "2026-12-01T23:00:00Z");
const cardLast4 = field(
  z.string('Must be the last 4 digits of the card as a string: "4242"')
    .regex(/^\d{4}$/, "Must be the last 4 digits of the card"),
  "Last four digits of the card",
  "4242",
);
const project = {
  projectId: field(uuid, "ID of the project", "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e03"),
  project: line(100, "Name of the project", "shop"),
  deploymentId: field(uuid, "ID of the deployment", "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e02"),
  url: field(httpUrl, "URL of the site", "https://shop.example.net/"),
};
const invoiced = {
  amount: field(amount, "Amount in units of the currency", 29.9),
  currency: field(
    z.string("Must be a currency code such as EUR")
      .regex(/^[A-Z]{3}$/, "Must be an ISO 4217 currency code such as EUR"),
    "Currency code (ISO 4217)",
    "EUR",
  ),
  invoiceId: line(100, "Number of the invoice", "2026-0042"),
};

export const deploymentData = data("DeploymentEventData", {
  ...project,
  environment: line(100, "Name of the environment", "production"),
  branch: line(255, "Git branch", "main"),
  commitSha: line(64, "Git commit, in hexadecimal", "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1"),
  startedBy: field(
    uuid,
    "ID of the account that started the deployment; omitted if none did",
    "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e04",
  ),
  error: line(MAX_EVENT_TEXT, "Reason for the failure", "`npm run build` exited with code 1"),
});

export const healthData = data("HealthEventData", {
  ...project,
  reason: line(MAX_EVENT_TEXT, "Reason for the failure", "No response within 10 seconds"),
});

export const formData = data("FormEventData", {
  ...project,
  environment: line(100, "Name of the environment", "production"),
  form: line(40, "Name of the form", "contact"),
  submissionId: field(uuid, "ID of the submission", "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e09"),
  text: line(
    MAX_EVENT_TEXT,
    "Beginning of the fields. URLs are changed to prevent automatic links",
    "name: Ada, message: Do you ship to Malta?",
  ),
  fileCount: field(amount, "Number of files", 1),
});

export const platformHealthData = data("PlatformHealthEventData", {
  reason: line(MAX_EVENT_TEXT, "Reason for the failure", "The disk is full"),
  url,
});

export const paymentData = data("PaymentEventData", {
  ...invoiced,
  cardLast4,
  reason: line(500, "Reason for the failure", "Insufficient funds"),
  url,
});

export const invoiceData = data("InvoiceEventData", {
  ...invoiced,
  dueDate: field(moment, "Day or time when the invoice is due", "2026-12-01"),
  url,
});

export const planData = data("PlanEventData", {
  plan: line(100, "Name of the plan", "Team"),
  endsAt,
  reason: line(500, "Reason for the change", "Payment overdue"),
  url,
});

export const limitData = data("LimitEventData", {
  resource: line(100, "Name of the limited resource", "Build minutes"),
  used: field(amount, "Amount used so far", 450),
  limit: field(amount, "Maximum amount", 500),
  unit: line(40, "Unit of the amounts", "minutes"),
  url,
});

export const cardData = data("CardEventData", {
  cardLast4,
  cardBrand: line(40, "Brand of the card", "Visa"),
  expiresAt: line(40, "Month, day or time when the card expires", "2026-12-22"),
  url,
});

export const securityData = data("SecurityEventData", {
  detail: line(500, "Human-readable details", "Sign-in with a password"),
  address: line(100, "IP address of the request", "203.0.113.7"),
  country: line(64, "ISO 3166-1 alpha-2 code of the country", "DE"),
});

export const maintenanceData = data("MaintenanceEventData", {
  startsAt: field(moment, "Day or time of the start", "2026-12-01T22:00:00Z"),
  endsAt,
  detail: detail("Database upgrade"),
  url,
});

export const announcementData = data("AnnouncementEventData", {
  title: line(120, "Title of the announcement", "Branch databases"),
  detail: detail("Each branch can have its own copy of the database"),
  url,
});
