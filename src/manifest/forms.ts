/** @module The manifest's `forms`, which visitors send to `/_svc/forms/<name>`. */
import * as z from "zod";

/** Maximum number of forms per deployment. */
export const MAX_FORMS = 50;
/** Matches the name of a form. */
export const FORM_NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
/** Maximum number of fields in a submission, and in a form's declaration. */
export const MAX_FORM_FIELDS = 50;
/** Maximum length of a field name, in characters. */
export const MAX_FIELD_NAME = 100;
/** Maximum number of origins whose pages can submit a form to this site. */
const MAX_ORIGINS = 20;
const MAX_REDIRECT = 512;
/** Maximum time to store submissions, in seconds: ten years. */
const MAX_RETENTION_SECONDS = 3650 * 86_400;

const WANTED_NAME =
  "Use a name of 1 to 40 lowercase letters, digits and hyphens that starts with a letter";
const WANTED_FIELDS = `Use a list of at most ${MAX_FORM_FIELDS} field names`;
const WANTED_PATH = 'Use a path on the site, such as "/thanks"';
const WANTED_RETENTION = `Use a whole number of seconds from 86400 to ${MAX_RETENTION_SECONDS}`;
const WANTED_ORIGINS =
  `Use a list of at most ${MAX_ORIGINS} origins, such as "https://www.example.com"`;
const WANTED_LIST = `Use a list of at most ${MAX_FORMS} forms`;

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.parse(text)?.origin === text;

const fieldNames = z.array(
  z.string(WANTED_FIELDS).min(1, WANTED_FIELDS).max(MAX_FIELD_NAME, WANTED_FIELDS),
  WANTED_FIELDS,
).max(MAX_FORM_FIELDS, WANTED_FIELDS).optional();

export const formSchema = z.strictObject({
  name: z.string(WANTED_NAME).regex(FORM_NAME, WANTED_NAME).describe(
    "Name of the form, unique in the deployment: the end of /_svc/forms/<name>.",
  ),
  fields: fieldNames.describe("Fields that are stored; others are left out. Default: all."),
  required: fieldNames.describe("Fields that must not be empty. Default: none."),
  redirect: z.string(WANTED_PATH).max(MAX_REDIRECT, WANTED_PATH)
    .regex(/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/, WANTED_PATH).optional().describe(
      "Page to show after a submission. Default: a thank-you page.",
    ),
  retentionSeconds: z.int(WANTED_RETENTION).min(86_400, WANTED_RETENTION)
    .max(MAX_RETENTION_SECONDS, WANTED_RETENTION).optional().describe(
      "How long submissions are kept, in seconds. Default: until they are deleted.",
    ),
  notify: z.boolean("Use true or false").optional().describe(
    "Whether each submission creates an event that notifies members. Default: true.",
  ),
  origins: z.array(z.string(WANTED_ORIGINS).refine(isOrigin, WANTED_ORIGINS), WANTED_ORIGINS)
    .max(MAX_ORIGINS, WANTED_ORIGINS).optional().describe(
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
