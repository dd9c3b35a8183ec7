/** @module The limits of forms, as `svc.toml`, the manifest and the API describe them. */

/** Maximum number of forms per deployment. */
export const MAX_FORMS = 50;
/** Matches the name of a form. */
export const FORM_NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
export const FORM_NAME_RULE =
  "Use a name of 1 to 40 lowercase letters, digits and hyphens that starts with a letter";
/** Maximum number of fields in a submission, and in a form's declaration. */
export const MAX_FORM_FIELDS = 50;
/** Maximum length of a field name, in characters. */
export const MAX_FIELD_NAME = 100;
/** Maximum number of origins whose pages can submit a form to this site. */
export const MAX_FORM_ORIGINS = 20;
/** Maximum length of the path of the page after a submission, in characters. */
export const MAX_FORM_REDIRECT = 512;
/** Matches a path on the site, with an optional query. */
export const FORM_REDIRECT = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
/** Minimum and maximum time to store submissions, in days: one day, and ten years. */
export const MIN_RETENTION_DAYS = 1;
export const MAX_RETENTION_DAYS = 3650;

/** Returns whether text is the origin of another site whose pages can submit a form. */
export const isFormOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.parse(text)?.origin === text;
