/** @module The manifest's `forms`, which visitors send to `/_svc/forms/<name>`. */
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

const DAY_SECONDS = 86_400;
const MIN_RETENTION_SECONDS = MIN_RETENTION_DAYS * DAY_SECONDS;
const MAX_RETENTION_SECONDS = MAX_RETENTION_DAYS * DAY_SECONDS;

const WANTED_FIELDS = `Use a list of at most ${MAX_FORM_FIELDS} field names`;
const WANTED_PATH = 'Use a path on the site, such as "/thanks"';
const WANTED_RETENTION =
  `Use a whole number of seconds from ${MIN_RETENTION_SECONDS} to ${MAX_RETENTION_SECONDS}`;
const WANTED_ORIGINS =
  `Use a list of at most ${MAX_FORM_ORIGINS} origins, such as "https://www.example.com"`;
const WANTED_LIST = `Use a list of at most ${MAX_FORMS} forms`;

const fieldNames = z.array(
  z.string(WANTED_FIELDS).min(1, WANTED_FIELDS).max(MAX_FIELD_NAME, WANTED_FIELDS),
  WANTED_FIELDS,
).max(MAX_FORM_FIELDS, WANTED_FIELDS).optional();

export const formSchema = z.strictObject({
  name: z.string(FORM_NAME_RULE).regex(FORM_NAME, FORM_NAME_RULE).describe(
    "Name of the form, unique in the deployment: the end of /_svc/forms/<name>.",
  ),
  fields: fieldNames.describe("Fields that are stored; others are left out. Default: all."),
  required: fieldNames.describe("Fields that must not be empty. Default: none."),
  redirect: z.string(WANTED_PATH).max(MAX_FORM_REDIRECT, WANTED_PATH)
    .regex(FORM_REDIRECT, WANTED_PATH).optional().describe(
      "Page to show after a submission. Default: a thank-you page.",
    ),
  retentionSeconds: z.int(WANTED_RETENTION).min(MIN_RETENTION_SECONDS, WANTED_RETENTION)
    .max(MAX_RETENTION_SECONDS, WANTED_RETENTION).optional().describe(
      "How long submissions are kept, in seconds. Default: until they are deleted.",
    ),
  notify: z.boolean("Use true or false").optional().describe(
    "Whether each submission creates an event that notifies members. Default: true.",
  ),
  origins: z.array(z.string(WANTED_ORIGINS).refine(isFormOrigin, WANTED_ORIGINS), WANTED_ORIGINS)
    .max(MAX_FORM_ORIGINS, WANTED_ORIGINS).optional().describe(
      "Origins of other sites whose pages can submit the form. Default: none.",
    ),
  honeypot: z.string(WANTED_FIELDS).min(1, WANTED_FIELDS).max(MAX_FIELD_NAME, WANTED_FIELDS)
    .optional().describe(
      "Hidden field that people leave empty; a submission with it is spam. Default: _gotcha.",
    ),
}, "Use a table");

/** A form, as declared by a deployment. */
export type FormSettings = Readonly<z.infer<typeof formSchema>>;

export const formsSchema = z.array(formSchema, WANTED_LIST).max(MAX_FORMS, WANTED_LIST)
  .superRefine((forms, context) => {
    const names = new Set<string>();
    for (const [index, { name }] of forms.entries()) {
      if (names.has(name)) {
        context.addIssue({
          code: "custom",
          path: [index, "name"],
          message: "Use a different name: another form already has this one",
        });
      }
      names.add(name);
    }
  });
