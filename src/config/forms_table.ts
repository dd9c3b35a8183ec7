/** @module The `[forms.<name>]` tables of `svc.toml`. */
import * as z from "zod";
import { parseTime } from "./field_rules.ts";
import { table } from "./table.ts";

const MAX_FORMS = 50;
const FORMS_RULE = `Use tables such as [forms.contact], at most ${MAX_FORMS}`;
const FORM_NAME_RULE =
  "Use a name of 1 to 40 lowercase letters, digits and hyphens that starts with a letter";
const FIELDS_RULE = "Use a list of at most 50 field names";
const FIELD_RULE = "Use a field name";
const REDIRECT_RULE = 'Use a path on the site, such as "/thanks"';
const RETENTION_RULE = 'Use a time from 1 to 3650 days, such as "90d"';
const NOTIFY_RULE = "Use true or false";
const ORIGINS_RULE = 'Use a list of at most 20 origins, such as "https://www.example.com"';
const DAY_MS = 86_400_000;

const fieldNames = z.array(
  z.string(FIELDS_RULE).min(1, FIELDS_RULE).max(100, FIELDS_RULE),
  FIELDS_RULE,
)
  .max(50, FIELDS_RULE).optional();

const isRetention = (value: number | string): boolean => {
  const time = parseTime(value);
  return time !== undefined && time >= DAY_MS && time <= 3650 * DAY_MS;
};

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.parse(text)?.origin === text;

const form = table({
  fields: fieldNames.meta({
    description: "Fields to store; others are left out. When omitted, all fields are stored.",
    examples: [["name", "email", "message"]],
  }),
  required: fieldNames.meta({
    description: "Fields that must not be empty.",
    examples: [["email", "message"]],
  }),
  redirect: z.string(REDIRECT_RULE).max(512, REDIRECT_RULE)
    .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/, REDIRECT_RULE).optional().meta({
      description: "Page to show after a submission; a thank-you page when omitted.",
      examples: ["/thanks"],
    }),
  retention: z.union([z.string(), z.int()], RETENTION_RULE).refine(isRetention, RETENTION_RULE)
    .optional().meta({
      description:
        "How long submissions are kept, from 1 to 3650 days. When omitted, they are kept until you delete them. A number counts seconds.",
      examples: ["90d"],
    }),
  notify: z.boolean(NOTIFY_RULE).optional().meta({
    description: "Whether workspace members are notified of submissions; true when omitted.",
  }),
  origins: z.array(z.string(ORIGINS_RULE).refine(isOrigin, ORIGINS_RULE), ORIGINS_RULE)
    .max(20, ORIGINS_RULE).optional().meta({
      description: "Origins of other sites whose pages can submit the form.",
      examples: [["https://www.example.com"]],
    }),
  honeypot: z.string(FIELD_RULE).min(1, FIELD_RULE).max(100, FIELD_RULE).optional().meta({
    description:
      "Hidden field that people leave empty: a submission that fills it is spam; _gotcha when omitted.",
    examples: ["website"],
  }),
});

export const forms = z.record(
  z.string(FORM_NAME_RULE).regex(/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/, FORM_NAME_RULE),
  form,
  FORMS_RULE,
).refine((tables) => Object.keys(tables).length <= MAX_FORMS, FORMS_RULE);

/** The keys that each table can have. */
export const FORM_KEYS: readonly string[] = Object.keys(form.shape);
