/**
 * The texts of each event: title, body, and the page to open. Pure.
 *
 * @module
 */
import { EVENT_PAYLOADS, type EventPayloads } from "../../contract/event_payloads.ts";
import { type EventData, type EventName, EVENTS } from "../../contract/events.ts";

/** Longest title and body, in characters. */
export const MAX_TITLE = 120;
export const MAX_BODY = 500;

export interface EventWords {
  readonly title: string;
  readonly body: string;
  /** Absolute URL; null where there is nothing to open. */
  readonly actionUrl: string | null;
}

type Data<Name extends EventName> = EventPayloads[Name];
type Given = string | number | null | undefined;

interface Wording<Payload> {
  title(data: Payload): string;
  body(data: Payload): string;
  /** A path of the platform's own pages, or a URL. */
  open(data: Payload): string | null;
}

const has = (value: Given): value is string | number =>
  value !== undefined && value !== null && value !== "";

/** A value with text around it; empty where there is no value. */
const around = (before: string, value: Given, after = ""): string =>
  has(value) ? `${before}${value}${after}` : "";

type Deployment = Data<"deployment.live">;

const nameOf = ({ project }: { readonly project?: string | null | undefined }): string =>
  project ?? "A project";

/** Names a deployment by its branch, commit and environment. */
function which({ environment, branch, commitSha }: Deployment): string {
  const of = around(" of ", branch) + around(" at ", commitSha?.slice(0, 7));
  return `Deployment${of}${around(" in ", environment)}`;
}

/** The page of the deployment, or else the inbox's notifications about deployments. */
const pageOf = ({ deploymentId }: { readonly deploymentId?: string | null | undefined }): string =>
  has(deploymentId) ? `/deployments/${deploymentId}` : "/notifications?category=Deployment";

const deployment = (
  title: (name: string) => string,
  sentence: (data: Deployment) => string,
  open: (data: Deployment) => string | null = pageOf,
): Wording<Deployment> => ({
  title: (data) => title(nameOf(data)),
  body: (data) => `${which(data)} ${sentence(data)}`,
  open,
});

/** The site, or else the page of the deployment. */
const siteOrPage = (data: Deployment): string => has(data.url) ? data.url : pageOf(data);

type Health = Data<"health.check_failed">;

const health = (
  title: (name: string) => string,
  sentence: (data: Health) => string,
): Wording<Health> => ({
  title: (data) => title(nameOf(data)),
  body: sentence,
  open: (data) =>
    has(data.url) || has(data.deploymentId) ? siteOrPage(data) : "/notifications?category=Health",
});

const billing = <
  Payload extends { readonly url?: string | null | undefined },
>(
  title: string,
  body: (data: Payload) => string,
): Wording<Payload> => ({
  title: () => title,
  body,
  open: ({ url }) => url ?? "/notifications?category=Billing",
});

interface Money {
  readonly amount?: number | null | undefined;
  readonly currency?: string | null | undefined;
}

const money = ({ amount, currency }: Money): string =>
  has(amount) ? `${amount.toFixed(2)}${around(" ", currency)}` : "";

const card = ({ cardLast4, cardBrand }: {
  readonly cardLast4?: string | null | undefined;
  readonly cardBrand?: string | null | undefined;
}): string => `${cardBrand ?? "Card"}${around(" ending in ", cardLast4)}`;

type Limit = Data<"billing.limit_exceeded">;

const usage = ({ resource, used, limit, unit }: Limit): string =>
  `${resource ?? "Allowance"}${around(": ", used)}${around(" of ", limit)}${around(" ", unit)}`;

type Security = Data<"security.new_login">;

const security = (title: string): Wording<Security> => ({
  title: () => title,
  body: ({ detail, address, country }) => {
    const from = around(" (from ", address, around(", ", country) + ")");
    return `${detail ?? title}${from}`;
  },
  open: () => "/account/activity",
});

type Plan = Data<"billing.trial_ended">;

const planOf = ({ plan }: Plan): string => plan ?? "your plan";

const WORDING: { readonly [Name in EventName]: Wording<Data<Name>> } = {
  "deployment.started": deployment((name) => `${name}: deployment started`, () => "has started"),
  "deployment.building": deployment((name) => `${name}: building`, () => "is being built"),
  "deployment.build_success": deployment((name) => `${name}: build succeeded`, () => "was built"),
  "deployment.build_failed": deployment(
    (name) => `${name}: build failed`,
    ({ error }) => `could not be built${around(": ", error)}`,
  ),
  "deployment.live": deployment((name) => `${name} is live`, () => "is live", siteOrPage),
  "deployment.failed": deployment(
    (name) => `${name}: deployment failed`,
    ({ error }) => `failed${around(": ", error)}`,
  ),
  "deployment.stopped": deployment((name) => `${name}: deployment stopped`, () => "was stopped"),
  "deployment.rolled_back": deployment(
    (name) => `${name} was rolled back`,
    () => "was taken back",
    siteOrPage,
  ),
  "health.check_failed": health(
    (name) => `${name} does not answer`,
    ({ url, reason }) => `Health check${around(" of ", url)} failed${around(": ", reason)}`,
  ),
  "health.recovered": health(
    (name) => `${name} answers again`,
    ({ url, reason }) => `Health check${around(" of ", url)} succeeds again${around(": ", reason)}`,
  ),
  "health.new_error": health(
    (name) => `${name}: a new error`,
    ({ reason }) => reason ?? "An error was seen for the first time",
  ),
  "billing.payment_succeeded": billing(
    "Payment received",
    (data) =>
      `Payment${around(" of ", money(data))} was received${
        around(" for invoice ", data.invoiceId)
      }`,
  ),
  "billing.payment_failed": billing(
    "Payment failed",
    (data) =>
      `Payment${around(" of ", money(data))}${around(" for invoice ", data.invoiceId)}` +
      `${around(" by the card ending in ", data.cardLast4)} failed${around(": ", data.reason)}`,
  ),
  "billing.invoice_created": billing(
    "New invoice",
    (data) =>
      `Invoice${around(" ", data.invoiceId)}${around(" over ", money(data))} was made` +
      around(", due on ", data.dueDate),
  ),
  "billing.invoice_paid": billing(
    "Invoice paid",
    (data) => `Invoice${around(" ", data.invoiceId)}${around(" over ", money(data))} is paid`,
  ),
  "billing.invoice_overdue": billing(
    "Invoice overdue",
    (data) =>
      `Invoice${around(" ", data.invoiceId)}${around(" over ", money(data))} is overdue` +
      around(" since ", data.dueDate),
  ),
  "billing.trial_ending_soon": billing(
    "Trial ends soon",
    (data) => `The trial of ${planOf(data)} ends${around(" on ", data.endsAt) || " soon"}`,
  ),
  "billing.trial_ended": billing(
    "Trial ended",
    (data) => `The trial of ${planOf(data)} ended${around(" on ", data.endsAt)}`,
  ),
  "billing.limit_approaching": billing("Limit is near", (data) => `${usage(data)} used`),
  "billing.limit_exceeded": billing("Limit exceeded", (data) => `${usage(data)} used`),
  "billing.subscription_cancelled": billing(
    "Subscription cancelled",
    (data) =>
      `The subscription to ${planOf(data)} was cancelled${around(", ends on ", data.endsAt)}`,
  ),
  "billing.subscription_suspended": billing(
    "Subscription suspended",
    (data) => `The subscription to ${planOf(data)} is suspended${around(": ", data.reason)}`,
  ),
  "billing.card_expiring_soon": billing(
    "Card expires soon",
    (data) => `${card(data)} expires${around(" ", data.expiresAt) || " soon"}`,
  ),
  "billing.card_expired": billing(
    "Card expired",
    (data) => `${card(data)} has expired${around(" (", data.expiresAt, ")")}`,
  ),
  "security.new_login": security("New sign-in"),
  "security.suspicious_activity": security("Suspicious activity"),
  "security.api_key_created": security("API key created"),
  "security.api_key_changed": security("API key changed"),
  "security.api_key_revoked": security("API key revoked"),
  "security.publisher_added": security("Trusted publisher added"),
  "security.publisher_removed": security("Trusted publisher removed"),
  "security.password_changed": security("Password changed"),
  "security.two_factor_enabled": security("Second factor turned on"),
  "security.two_factor_enrollment_started": security("Second factor being set up"),
  "system.maintenance_scheduled": {
    title: () => "Maintenance scheduled",
    body: ({ startsAt, endsAt, detail }) => {
      const when = around(" from ", startsAt) + around(" until ", endsAt);
      return `Maintenance${when || " is planned"}${around(": ", detail)}`;
    },
    open: ({ url }) => url ?? "/notifications?category=System",
  },
  "system.feature_announcement": {
    title: ({ title }) => title ?? "Something new",
    body: ({ detail, title }) => detail ?? title ?? "There is something new",
    open: ({ url }) => url ?? "/notifications?category=System",
  },
};

/** Control characters, and marks that change the direction of text. */
const UNSEEN = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/gu;

/** One line of at most `maximum` characters, cut with an ellipsis where it is longer. */
function plainText(text: string, maximum: number): string {
  const line = text.replace(UNSEEN, " ").replace(/ {2,}/g, " ").trim();
  if (line.length <= maximum) return line;
  const cut = line.slice(0, maximum - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** What is said where the data is not what the event should hold. */
const fallback = (event: EventName): Wording<unknown> => ({
  title: () =>
    `${EVENTS[event].category}: ${event.slice(event.indexOf(".") + 1).replaceAll("_", " ")}`,
  body: () => event,
  open: () => `/notifications?category=${EVENTS[event].category}`,
});

/** Puts an event into words: plain, of one line each, and of bounded length. */
export function describeEvent(
  { event, data }: { readonly event: EventName; readonly data: EventData },
  { origin }: { readonly origin: string },
): EventWords {
  const parsed = EVENT_PAYLOADS[event].safeParse(data);
  const plain = fallback(event);
  const wording = parsed.success ? WORDING[event] as Wording<unknown> : plain;
  const open = wording.open(parsed.data);
  return {
    title: plainText(wording.title(parsed.data), MAX_TITLE) || plain.title(undefined),
    body: plainText(wording.body(parsed.data), MAX_BODY) || plain.body(undefined),
    actionUrl: open === null ? null : new URL(open, origin).href,
  };
}
