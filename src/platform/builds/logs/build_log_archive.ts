/** Logs of finished builds, stored as blobs that every node can read. @module */
import * as z from "zod";
import type { BuildLogLine } from "../../../contract/build_logs.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { type BlobVault, keys, readAll, readRecord } from "../../core/store/mod.ts";
import { type LoggedBuild, parseLines } from "./build_logs.ts";
import type { RecordStore } from "../../../store/mod.ts";

const archivedLog = z.object({ workspaceId: z.string(), sha256: z.string() });
type ArchivedLog = z.infer<typeof archivedLog>;

/** Lists the blobs of all stored logs. */
export async function* buildLogBlobs(
  kv: RecordStore,
): AsyncGenerator<ArchivedLog & { readonly deploymentId: string }> {
  for await (const { key, value } of readAll(kv, keys.allBuildLogs(), archivedLog)) {
    yield { ...value, deploymentId: String(key[2]) };
  }
}

export class BuildLogArchive {
  readonly #options: { readonly kv: RecordStore; readonly vault: Pick<BlobVault, "of"> };

  constructor(options: { readonly kv: RecordStore; readonly vault: Pick<BlobVault, "of"> }) {
    this.#options = options;
  }

  /** Stores a complete log, replacing the log of an earlier attempt. */
  async store(
    { projectId, deploymentId }: LoggedBuild,
    { workspaceId, content }: {
      readonly workspaceId: string;
      readonly content: Uint8Array<ArrayBuffer>;
    },
  ): Promise<void> {
    const sha256 = sha256Hex(content);
    await this.#options.vault.of(workspaceId).put(sha256, content);
    await this.#options.kv.set(keys.buildLog(projectId, deploymentId), { workspaceId, sha256 });
  }

  /** Returns the lines of a log, or `undefined` if the log is not stored as a blob. */
  async read({ projectId, deploymentId }: LoggedBuild): Promise<BuildLogLine[] | undefined> {
    const { kv, vault } = this.#options;
    const found = await readRecord(kv, keys.buildLog(projectId, deploymentId), archivedLog);
    if (found === undefined) return undefined;
    const { workspaceId, sha256 } = found.value;
    return parseLines(new TextDecoder().decode(await vault.of(workspaceId).read(sha256)));
  }
}
