/** The records of form submissions. Spam has its own keys. IDs sort by time. @module */
import * as z from "zod";
import { FORM_STATES, type FormState, type FormSubmission } from "../../contract/forms.ts";
import { keys, RecordType } from "../core/store/mod.ts";

export const submissionRecord = z.object({
  workspaceId: z.string(),
  projectId: z.string(),
  environment: z.string(),
  form: z.string(),
  state: z.enum(FORM_STATES),
  id: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  spamReason: z.string().nullable(),
  page: z.string().nullable(),
  fields: z.array(z.object({ name: z.string(), value: z.string() })),
  files: z.array(z.object({
    field: z.string(),
    name: z.string(),
    contentType: z.string(),
    size: z.number(),
    key: z.string().nullable(),
  })),
});
export type SubmissionRecord = z.infer<typeof submissionRecord>;

export const submissions = new RecordType({
  root: keys.formSubmissions(),
  schema: submissionRecord,
  parts: (
    { projectId, environment, form, state, id },
  ): readonly [string, string, string, FormState, string] => [
    projectId,
    environment,
    form,
    state,
    id,
  ],
});

export const countRecord = z.object({
  inbox: z.number(),
  spam: z.number(),
  /** Milliseconds since the epoch. */
  lastAt: z.number(),
  /** Total size of the files in the form's submissions, in bytes. */
  fileBytes: z.number().default(0),
  /**
   * How long submissions are kept, in milliseconds, according to the deployment of the latest
   * submission; `null` if there is no limit. The setting of a live form takes precedence.
   */
  retentionMs: z.number().nullable(),
});
export type CountRecord = z.infer<typeof countRecord>;

/** Returns the total size of a submission's files, in bytes. */
export const fileBytesOf = ({ files }: Pick<SubmissionRecord, "files">): number =>
  files.reduce((sum, { key, size }) => key === null ? sum : sum + size, 0);

export interface FormPlace {
  readonly projectId: string;
  readonly environment: string;
  readonly form: string;
}

export const submissionToWire = (
  { id, form, at, spamReason, page, fields, files }: SubmissionRecord,
): FormSubmission => ({
  id,
  form,
  sentAt: new Date(at).toISOString(),
  spamReason,
  page,
  fields,
  files,
});
