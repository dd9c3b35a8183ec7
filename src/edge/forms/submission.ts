/** @module A visitor's form submission, and the store that keeps it. */
import type { FormSettings } from "../../manifest/mod.ts";

export interface FormField {
  readonly name: string;
  readonly value: string;
}

export interface FormFile {
  /** Name of the form field that contains the file. */
  readonly field: string;
  /** Name of the file, without folders. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface Submission {
  /** The fields in the order of the form. A name can occur several times. */
  readonly fields: readonly FormField[];
  readonly files: readonly FormFile[];
  /** The reason why the submission counts as spam. Null if it is not spam. */
  readonly spam: string | null;
  /** Path of the page that contained the form. Null if the browser did not send it. */
  readonly page: string | null;
}

/** `full` means that the project has no storage left. */
export type KeepOutcome = "kept" | "full";

/** Stores the submissions of a deployment's forms. */
export interface FormKeeper {
  /** Whether to accept forms that the manifest does not declare, as in `svc dev`. */
  readonly takesAny?: boolean;
  /** Stores a submission. Resolves once the submission would survive a crash. */
  keep(form: FormSettings, submission: Submission): Promise<KeepOutcome>;
}

export interface SiteForms {
  readonly keeper: FormKeeper;
  readonly byName: ReadonlyMap<string, FormSettings>;
}
