/** Rule sets that were published without a deploy. The records name their blobs. @module */
import * as z from "zod";
import {
  keys,
  type Page,
  type PageRange,
  readAll,
  readPage,
  readRecord,
  type Versioned,
} from "../core/store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";

const revisionRecord = z.object({
  revisionId: z.string(),
  workspaceId: z.string(),
  /** Hash of the blob with the runtime rule set. */
  sha256: z.string(),
  ruleCount: z.number(),
  publishedAt: z.number(),
  publishedBy: z.string(),
});
export type RevisionRecord = z.infer<typeof revisionRecord>;

const publishedRecord = z.object({ revision: revisionRecord.nullable() });
type PublishedRecord = z.infer<typeof publishedRecord>;

/** The version of a project's rules (for `If-Match`) before the first publication. */
const NEVER = "none";

export interface Published {
  /** The published rule set; `null` if the deployment's own rules apply. */
  readonly revision: RevisionRecord | null;
  readonly version: string;
}

export class RulesStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async published(projectId: string): Promise<Published> {
    const record = await this.#read(projectId);
    return {
      revision: record?.value.revision ?? null,
      version: record?.versionstamp ?? NEVER,
    };
  }

  /**
   * Publishes a revision, or removes the published one (`null`), if the current version is
   * `expected`. Returns the new version; `undefined` if the current version differs.
   */
  async publish(
    projectId: string,
    revision: RevisionRecord | null,
    expected: string,
  ): Promise<string | undefined> {
    const key = keys.publishedRules(projectId);
    const operation = this.#kv.atomic()
      .check({ key, versionstamp: expected === NEVER ? null : expected })
      .set(key, { revision } satisfies PublishedRecord);
    if (revision !== null) {
      operation.set(keys.rulesRevision(projectId, revision.revisionId), revision);
    }
    const commit = await operation.commit();
    return commit.ok ? commit.versionstamp : undefined;
  }

  revisions(
    projectId: string,
    page: PageRange,
  ): Promise<Page<RevisionRecord>> {
    return readPage(this.#kv, keys.rulesRevisions(projectId), { schema: revisionRecord, ...page });
  }

  async findRevision(projectId: string, revisionId: string): Promise<RevisionRecord | undefined> {
    return (await readRecord(this.#kv, keys.rulesRevision(projectId, revisionId), revisionRecord))
      ?.value;
  }

  /** Lists the blobs of all revisions, which housekeeping must keep. */
  async *blobs(): AsyncGenerator<
    { readonly workspaceId: string; readonly projectId: string; readonly sha256: string }
  > {
    const all = readAll(this.#kv, keys.allRulesRevisions(), revisionRecord);
    for await (const { key, value: { workspaceId, sha256 } } of all) {
      yield { workspaceId, projectId: String(key[1]), sha256 };
    }
  }

  #read(projectId: string): Promise<Versioned<PublishedRecord> | undefined> {
    return readRecord(this.#kv, keys.publishedRules(projectId), publishedRecord);
  }
}
