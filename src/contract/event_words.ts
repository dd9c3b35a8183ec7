import { ENVIRONMENT_PREVIEW } from "./environment_names.ts";
import { type EventData } from "./event_data.ts";
/**
 * Fills the text templates of events. In a template, `{name}` is a value, `{name|other}` has a
 * fallback, and `{name:moment}` has a format. A part in `[brackets]` is left out if one of its
 * values is missing.
 *
 * @module
 */

const DEPLOYMENT = "Deployment[ of {branch}][ at {commit}][ to {environment}]";

const DAY = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" } as const;
const TIME = { timeStyle: "short", timeZone: "UTC" } as const;

/** Created at the first use, because a program's first date format takes about 20 ms. */
let formats: Record<"day" | "time", Intl.DateTimeFormat> | undefined;

function format(moment: Date, part: "day" | "time"): string {
  formats ??= {
    day: new Intl.DateTimeFormat("en-GB", DAY),
    time: new Intl.DateTimeFormat("en-GB", TIME),
  };
  return formats[part].format(moment);
}

function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(?:T|$)/.test(text) && !Number.isNaN(Date.parse(text));
}

/**
 * Formats a date such as `1 December 2026`, with the time in UTC if there is one. Other text is
 * returned unchanged.
 */
export function momentOf(text: string): string {
  if (!isMoment(text)) return text;
  const moment = new Date(text);
  const time = text.includes("T") ? `, ${format(moment, "time")} UTC` : "";
  return `${format(moment, "day")}${time}`;
}

const FORMATS: Readonly<Record<string, (text: string) => string>> = {
  moment: momentOf,
  /** Formats a period as `on 1 December 2026` or `in 04/2026`. */
  on: (text) => `${isMoment(text) ? "on" : "in"} ${momentOf(text)}`,
};

/** Formats an amount of money, such as `€29.90`. */
function money({ amount, currency }: EventData): string {
  if (typeof amount !== "number") return "";
  if (typeof currency !== "string") return amount.toFixed(2);
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.format(amount).replaceAll("\u00a0", " ");
}

/** Values that are computed from the event's data. */
const MADE: Readonly<Record<string, (data: EventData) => string>> = {
  commit: ({ commitSha }) => String(commitSha ?? "").slice(0, 7),
  deployment: (data) => fillWords(DEPLOYMENT, data),
  money,
  place: ({ environment, branch }) =>
    environment !== ENVIRONMENT_PREVIEW || !branch
      ? String(environment ?? "a deployment")
      : `preview of ${branch}`,
  project: ({ project }) => String(project ?? "A project"),
  /** Formats the branch and commit, which distinguish an environment's deployments. */
  version: (data) =>
    data.environment === ENVIRONMENT_PREVIEW
      ? fillWords("{commit}", data)
      : fillWords("{branch}[ at {commit}]", data),
};

function fillPart(template: string, data: EventData) {
  let isComplete = true;
  const text = template.replace(
    /\{(\w+)(?::(\w+))?(?:\|([^}]*))?\}/g,
    (_, name: string, format?: string, fallback?: string) => {
      const given = String(data[name] ?? "");
      if (given === "" && fallback !== undefined) return fallback;
      const made = MADE[name]?.(data) ?? given;
      const value = format === undefined || made === "" ? made : FORMATS[format]!(made);
      isComplete &&= value !== "";
      return value;
    },
  );
  return { text, isComplete };
}

/** Fills a template. Missing values outside of brackets become empty. */
export function fillWords(template: string, data: EventData): string {
  return template.replace(/\[([^\]]*)\]|[^[]+/g, (part: string, optional?: string) => {
    const { text, isComplete } = fillPart(optional ?? part, data);
    return optional === undefined || isComplete ? text : "";
  });
}

/** Fills the first template whose values are all present. */
export function fillFirst(templates: readonly string[], data: EventData): string | undefined {
  return templates.map((template) => fillPart(template, data))
    .find(({ isComplete }) => isComplete)?.text;
}

/** Returns text with a period at the end, unless it already ends like a sentence. */
export const sentence = (words: string): string =>
  words === "" || /[.!?:…]$/.test(words) ? words : `${words}.`;
