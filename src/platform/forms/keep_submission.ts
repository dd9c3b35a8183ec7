/**
 * Stores a submission: first its files in the blob store, and then its record and event.
 *
 * @module
 */
import type { EventData } from "../../contract/event_data.ts";
import type { FormField, KeepOutcome, Submission } from "../../edge/mod.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { FormSettings } from "../../manifest/mod.ts";
import { BlobStoreError, type ObjectStore } from "../blobs/mod.ts";
import type { RaisedEvent, RaiseEvent } from "../core/events/mod.ts";
import type { FormStore } from "./form_store.ts";
import { fileBytesOf, type SubmissionRecord } from "./submission_record.ts";

/**
 * Maximum number of events per form and environment in an hour, to limit the number of emails.
 */
const MAX_EVENTS = 30;
const HOUR_MS = 60 * 60_000;
/** Maximum length of an event's text, in characters. */
const MAX_TEXT = 480;

/** The deployment that contains the submitted form. */
export interface FormSender {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly projectName: string;
  readonly environment: string;
}

/** Messages that tell members why a submission is refused. */
const NO_ROOM =
  "The project has no room for more submissions or their files. Delete some: new messages are being lost";
const NO_BLOB_ROOM =
  "The project's blob stores are full. Delete objects: messages with files are being lost";

interface KeepServices {
  readonly store: Pick<FormStore, "hasRoom" | "keep">;
  readonly objects: Pick<ObjectStore, "put" | "delete">;
  readonly raise: RaiseEvent;
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly random: Random;
}

/** Defuses URLs, so no one mistakes a visitor's link for one from the platform. */
function withoutLinks(text: string): string {
  return text.replace(/\S+/g, (word) => {
    if (/^[^@:/]+@[^@:/]+$/.test(word)) return word;
    return word.replaceAll("://", "[:]//").replace(/\.(?=\p{L})/gu, "[.]");
  });
}

/** Returns how long a form's submissions are kept, in milliseconds; `null` if there is no limit. */
export const retentionOf = ({ retentionSeconds }: FormSettings): number | null =>
  retentionSeconds === undefined ? null : retentionSeconds * 1000;

/** Joins the fields into one line. */
function textOf(fields: readonly FormField[]): string {
  const line = fields.filter(({ value }) => value.trim() !== "")
    .map(({ name, value }) => `${name}: ${value}`).join(", ").slice(0, MAX_TEXT);
  return withoutLinks(line.toWellFormed());
}

/** Counts each form's events in the current hour. */
class EventBudget {
  #hour = 0;
  readonly #counts = new Map<string, number>();

  take(name: string, now: number): boolean {
    const hour = Math.floor(now / HOUR_MS);
    if (hour !== this.#hour) this.#counts.clear();
    this.#hour = hour;
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    return count < MAX_EVENTS;
  }
}

export class SubmissionKeeper {
  readonly #services: KeepServices;
  readonly #budget = new EventBudget();

  constructor(services: KeepServices) {
    this.#services = services;
  }

  async keep(
    sender: FormSender,
    form: FormSettings,
    submission: Submission,
  ): Promise<KeepOutcome> {
    const { store, objects, raise, now, random } = this.#services;
    const { workspaceId, projectId, environment } = sender;
    const isSpam = submission.spam !== null;
    const at = now();
    const id = uuidV7(() => at, random);
    const record: SubmissionRecord = {
      ...{ workspaceId, projectId, environment, form: form.name, id, at },
      state: isSpam ? "spam" : "inbox",
      spamReason: submission.spam,
      page: submission.page,
      fields: [...submission.fields],
      files: submission.files.map(({ bytes, name, ...file }, index) => ({
        ...file,
        name,
        size: bytes.byteLength,
        key: isSpam ? null : fileKey(form.name, id, index, name),
      })),
    };
    if (!isSpam && !await store.hasRoom(projectId, fileBytesOf(record))) {
      return await this.#refuse(sender, form, NO_ROOM);
    }
    try {
      if (!isSpam) await this.#putFiles(sender, record, submission);
    } catch (error) {
      await objectsGone(objects, record);
      if (error instanceof BlobStoreError && error.code === "QuotaExceeded") {
        return await this.#refuse(sender, form, NO_BLOB_ROOM);
      }
      throw error;
    }
    const event = !isSpam && this.#mayTell(sender, form, { what: "submitted", at })
      ? this.#submitted(sender, record)
      : undefined;
    const isAdded = await store.keep(record, { retentionMs: retentionOf(form), event });
    if (!isAdded) await objectsGone(objects, record);
    else if (event !== undefined) await raise(event);
    return "kept";
  }

  async #putFiles(
    place: FormSender,
    record: SubmissionRecord,
    { files }: Submission,
  ): Promise<void> {
    for (const [index, { bytes, contentType }] of files.entries()) {
      await this.#services.objects.put(place, record.files[index]!.key!, {
        content: {
          stream: new Blob([bytes]).stream(),
          size: bytes.byteLength,
          algorithms: ["md5"],
          expected: () => new Map(),
        },
        described: { contentType, fields: {}, metadata: {} },
      });
    }
  }

  /** Notifies members once a day that messages from visitors are being lost. */
  async #refuse(sender: FormSender, form: FormSettings, text: string): Promise<KeepOutcome> {
    const at = this.#services.now();
    if (this.#mayTell(sender, form, { what: "full", at })) {
      const day = new Date(at).toISOString().slice(0, 10);
      const data = this.#dataOf(sender, form.name, { text });
      await this.#services.raise({
        event: "form.full",
        audience: { type: "workspace", workspaceId: sender.workspaceId },
        data,
        key: `${sender.projectId}/form-full/${sender.environment}/${form.name}/${day}`,
      });
    }
    return "full";
  }

  #mayTell(
    { projectId, environment }: FormSender,
    { name, notify }: FormSettings,
    { what, at }: { readonly what: "submitted" | "full"; readonly at: number },
  ): boolean {
    const isWanted = what === "full" || notify !== false;
    return isWanted && this.#budget.take(`${what} ${projectId} ${environment} ${name}`, at);
  }

  #submitted(
    sender: FormSender,
    { id, form, fields, files }: SubmissionRecord,
  ): RaisedEvent {
    const text = textOf(fields);
    const data = this.#dataOf(sender, form, {
      submissionId: id,
      ...(text === "" ? {} : { text }),
      fileCount: files.length,
    });
    return {
      event: "form.submitted",
      audience: { type: "workspace", workspaceId: sender.workspaceId },
      data,
      key: `${sender.projectId}/form/${id}`,
    };
  }

  #dataOf(
    { id: deploymentId, projectId, projectName, environment }: FormSender,
    form: string,
    more: EventData,
  ): EventData {
    const url = `${this.#services.publicOrigin}/deployments/${deploymentId}/forms/${form}`;
    return { projectId, project: projectName, deploymentId, environment, form, ...more, url };
  }
}

/** Returns the key of a submission's file in the blob store. */
function fileKey(form: string, id: string, index: number, name: string): string {
  return `forms/${form}/${id}/${index + 1}-${name.replace(/[^\w.-]+/g, "_").slice(-80)}`;
}

async function objectsGone(
  objects: Pick<ObjectStore, "delete">,
  record: SubmissionRecord,
): Promise<void> {
  for (const { key } of record.files) if (key !== null) await objects.delete(record, key);
}
