/** Forms of a project's sites, and their submissions (docs/forms.md). @module */
import * as z from "zod";
import { FORM_NAME } from "../lib/form_limits.ts";
import { pageLimit, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { ENVIRONMENT_PRODUCTION } from "./environment_names.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

const LIST_MAX = 100;
const LIST_DEFAULT = 20;

const tag = "Forms";
const path = "/v1/projects/{project}/forms";
const NAME_RULE = "Must be the name of a form: lowercase letters, digits and -";

const environment = environmentReference.default(ENVIRONMENT_PRODUCTION).describe(
  "Name or ID of the environment",
);

const formParams = projectParams.extend({
  form: z.string().regex(FORM_NAME, NAME_RULE).describe("Name of the form").meta({
    example: "contact",
  }),
});

export const FORM_STATES = ["inbox", "spam"] as const;
export type FormState = (typeof FORM_STATES)[number];
const state = z.enum(FORM_STATES).default("inbox").describe("Which submissions");

export const form = z.object({
  name: z.string().describe("Name of the form").meta({ example: "contact" }),
  environment: z.string().describe("Name of the environment").meta({ example: "production" }),
  isDeclared: z.boolean().describe("Whether the live deployment has the form"),
  inbox: z.int().nonnegative().describe("Submissions that are not spam"),
  spam: z.int().nonnegative().describe("Submissions that are spam"),
  lastAt: timestamp.nullable().describe(
    "When the latest submission was sent; null if there is none",
  ),
}).meta({ id: "Form" });
export type Form = z.infer<typeof form>;

const formSubmission = z.object({
  id: uuid.describe("ID of the submission"),
  form: z.string().describe("Name of the form").meta({ example: "contact" }),
  sentAt: timestamp.describe("When it was sent"),
  spamReason: z.string().nullable().describe("Why it is spam; null if it is not"),
  page: z.string().nullable().describe("Path of the page with the form; null if unknown"),
  fields: z.array(z.object({
    name: z.string().describe("Name of the field").meta({ example: "email" }),
    value: z.string().describe("Text of the field").meta({ example: "ada@example.com" }),
  })).describe("Fields in the order of the form"),
  files: z.array(z.object({
    field: z.string().describe("Name of the field").meta({ example: "cv" }),
    name: z.string().describe("Name of the file").meta({ example: "cv.pdf" }),
    contentType: z.string().describe("Media type, as the browser sent it"),
    size: z.int().nonnegative().describe("Size in bytes"),
    key: z.string().nullable().describe(
      "Key in the environment's blob store; null for spam, whose files are not kept",
    ),
  })).describe("Files that were sent"),
}).meta({ id: "FormSubmission" });
export type FormSubmission = z.infer<typeof formSubmission>;

export const listForms = endpoint({
  method: "GET",
  path,
  summary: "List an environment's forms with their counts",
  tag,
  params: projectParams,
  query: z.object({ environment }),
  response: z.object({
    items: z.array(form).describe("Forms by name"),
    hasRoom: z.boolean().describe("Whether the project has room for more submissions"),
  }),
});

export const listFormSubmissions = endpoint({
  method: "GET",
  path: `${path}/{form}/submissions`,
  summary: "List a form's submissions, newest first",
  access: "developer",
  tag,
  params: formParams,
  query: z.object({
    environment,
    state,
    limit: pageLimit(LIST_MAX, LIST_DEFAULT).meta({
      description: "Maximum number of submissions",
      example: 20,
    }),
    cursor: uuid.optional().meta({ description: "`nextCursor` of the previous page" }),
  }),
  response: z.object({
    items: z.array(formSubmission).describe("Entries on the page"),
    nextCursor: z.string().nullable().describe("`cursor` of the next page; null on the last page"),
  }),
});

export const deleteFormSubmission = endpoint({
  method: "DELETE",
  path: `${path}/{form}/submissions/{submission}`,
  summary: "Delete a form submission and its files",
  tag,
  params: formParams.extend({ submission: uuid.describe("ID of the submission") }),
  query: z.object({ environment }),
  status: 204,
});

export const purgeForm = endpoint({
  method: "POST",
  path: `${path}/{form}/purge`,
  summary:
    "Delete all of a form's spam, or all submissions that are not spam, at most 200 per request",
  tag,
  params: formParams,
  body: z.object({
    environment,
    state: z.enum(FORM_STATES).describe("Which submissions"),
  }).strict().meta({ example: { state: "spam" } }),
  response: z.object({
    removed: z.int().describe("Submissions deleted"),
    hasMore: z.boolean().describe("Whether there are more submissions to delete"),
  }),
});
