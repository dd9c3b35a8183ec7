/** @module The `[forms.<name>]` tables of `svc.toml`. */
import * as z from "zod";
import {
  FORM_NAME,
  FORM_NAME_RULE,
  FORM_REDIRECT,
  isFormOrigin,
  MAX_FIELD_NAME,
  MAX_FORM_FIELDS,
  MAX_FORM_ORIGINS,
  MAX_FORM_REDIRECT,
  MAX_FORMS,
  MAX_RETENTION_DAYS,
  MIN_RETENTION_DAYS,
} from "../lib/form_limits.ts";
import { parseTime } from "./field_rules.ts";
import { table } from "./table.ts";

const FORMS_RULE = `Use tables such as [forms.contact], at most ${MAX_FORMS}`;
const FIELDS_RULE = `Use a list of at most ${MAX_FORM_FIELDS} field names`;
const FIELD_RULE = "Use a field name";
const REDIRECT_RULE = 'Use a path on the site, such as "/thanks"';
const RETENTION = `from ${MIN_RETENTION_DAYS} to ${MAX_RETENTION_DAYS} days`;
const RETENTION_RULE = `Use a time ${RETENTION}, such as "90d"`;
const NOTIFY_RULE = "Use true or false";
const ORIGINS_RULE =
  `Use a list of at most ${MAX_FORM_ORIGINS} origins, such as "https://www.example.com"`;
const DAY_MS = 86_400_000;

const fieldNames = z.array(
  z.string(FIELDS_RULE).min(1, FIELDS_RULE).max(MAX_FIELD_NAME, FIELDS_RULE),
  FIELDS_RULE,
).max(MAX_FORM_FIELDS, FIELDS_RULE).optional();

const isRetention = (value: number | string): boolean => {
  const time = parseTime(value);
  return time !== undefined && time >= MIN_RETENTION_DAYS * DAY_MS &&
    time <= MAX_RETENTION_DAYS * DAY_MS;
};

const form = table({
  fields: fieldNames.meta({
    description: "Fields to store; others are left out. When omitted, all fields are stored.",
    examples: [["name", "email", "message"]],
  }),
  required: fieldNames.meta({
    description: "Fields that must not be empty.",
    examples: [["email", "message"]],
  }),
  redirect: z.string(REDIRECT_RULE).max(MAX_FORM_REDIRECT, REDIRECT_RULE)
    .regex(FORM_REDIRECT, REDIRECT_RULE).optional().meta({
      description: "Page to show after a submission; a thank-you page when omitted.",
      examples: ["/thanks"],
    }),
  retention: z.union([z.string(), z.int()], RETENTION_RULE).refine(isRetention, RETENTION_RULE)
    .optional().meta({
      description:
        `How long submissions are kept, ${RETENTION}. When omitted, they are kept until you delete them. A number counts seconds.`,
      examples: ["90d"],
    }),
  notify: z.boolean(NOTIFY_RULE).optional().meta({
    description: "Whether workspace members are notified of submissions; true when omitted.",
  }),
  origins: z.array(z.string(ORIGINS_RULE).refine(isFormOrigin, ORIGINS_RULE), ORIGINS_RULE)
    .max(MAX_FORM_ORIGINS, ORIGINS_RULE).optional().meta({
      description: "Origins of other sites whose pages can submit the form.",
      examples: [["https://www.example.com"]],
    }),
  honeypot: z.string(FIELD_RULE).min(1, FIELD_RULE).max(MAX_FIELD_NAME, FIELD_RULE).optional().meta(
    {
      description:
        "Hidden field that people leave empty: a submission that fills it is spam; _gotcha when omitted.",
      examples: ["website"],
    },
  ),
});

export const forms = z.record(
  z.string(FORM_NAME_RULE).regex(FORM_NAME, FORM_NAME_RULE),
  form,
  FORMS_RULE,
).refine((tables) => Object.keys(tables).length <= MAX_FORMS, FORMS_RULE);

/** The keys that each table can have. */
export const FORM_KEYS: readonly string[] = Object.keys(form.shape);
