/** @module Submissions of the project's forms, in a file for each form. */
import { join } from "node:path";
import type { FormKeeper, Submission } from "../../edge/mod.ts";

/** Maximum number of submissions to remember. */
const MAX_SUBMISSIONS = 100;

export interface LocalSubmission extends Pick<Submission, "fields" | "spam"> {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly form: string;
  readonly files: readonly {
    readonly field: string;
    readonly name: string;
    readonly size: number;
  }[];
}

export class LocalForms {
  readonly #folder: string;
  readonly #onSubmission: (submission: LocalSubmission) => void;
  #latest: LocalSubmission[] = [];

  constructor(dataDir: string, onSubmission: (submission: LocalSubmission) => void) {
    this.#folder = join(dataDir, "forms");
    this.#onSubmission = onSubmission;
  }

  /**
   * Stores the submissions of a site's forms.
   *
   * @param takesAny whether to accept forms of any name, because a server's pages cannot be
   *   searched for forms
   */
  keeper(takesAny: boolean): FormKeeper {
    return {
      takesAny,
      keep: async ({ name }, { fields, files, spam }) => {
        const named = files.map(({ field, name, bytes }) => ({
          field,
          name,
          size: bytes.byteLength,
        }));
        const submission = { time: Date.now(), form: name, fields, files: named, spam };
        await Deno.mkdir(this.#folder, { recursive: true });
        const path = join(this.#folder, `${name}.ndjson`);
        await Deno.writeTextFile(path, `${JSON.stringify(submission)}\n`, { append: true });
        this.#latest = [...this.#latest, submission].slice(-MAX_SUBMISSIONS);
        this.#onSubmission(submission);
        return "kept";
      },
    };
  }

  latest(): readonly LocalSubmission[] {
    return this.#latest.toReversed();
  }

  clear(): void {
    this.#latest = [];
  }
}
