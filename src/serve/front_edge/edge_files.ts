/**
 * Stores site files on a front edge's disk. Files are fetched once and verified, within a quota.
 * @module
 */
import { join } from "node:path";
import type { BlobReader } from "../../edge/mod.ts";
import { sha256InTurns } from "../../lib/hash.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import {
  BlobDamagedError,
  blobPath,
  DiskCache,
  FsBlobStore,
  openBlobFile,
  prepareIncoming,
  streamFile,
} from "../../platform/core/store/mod.ts";
import type { PlatformClient } from "./platform_client.ts";

/** Maximum number of attempts to fetch a file that disappears before it is read. */
const MAX_FETCHES = 3;

/** Default of `stalledMs`. */
const STALLED_MS = 30_000;

/** The files of deployments. */
export interface FilesOfSites {
  of(site: SiteOfFiles): BlobReader;
}

interface SiteOfFiles {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly workspaceId: string | undefined;
}

/** Opens an edge's files. */
export type OpenEdgeFiles = (
  parts: Pick<EdgeFilesOptions, "client" | "onTrouble">,
) => FilesOfSites | Promise<FilesOfSites>;

const pathOfFile = (
  { projectId, deploymentId }: Pick<SiteOfFiles, "projectId" | "deploymentId">,
  sha256: string,
): string => `blobs/${projectId}/${deploymentId}/${sha256}`;

/** Returns the platform's own files in a folder on this machine. This process never writes them. */
export function platformFiles(root: string, client: Pick<PlatformClient, "send">): FilesOfSites {
  return {
    of({ workspaceId = "", ...site }) {
      const pathOf = (sha256: string) => blobPath(join(root, workspaceId), sha256);
      return {
        async read(sha256) {
          const content = await Deno.readFile(pathOf(sha256));
          if (await sha256InTurns(content) === sha256) return content;
          // The platform then serves the request and detects the damage.
          throw new BlobDamagedError(`Blob ${sha256} changed on disk`);
        },
        stream: (sha256, range) => streamFile(pathOf(sha256), range),
        openFile: (sha256) => openBlobFile(pathOf(sha256)),
        async reportDamage(sha256) {
          const answer = await client.send(`${pathOfFile(site, sha256)}?damaged=1`)
            .catch(() => undefined);
          await answer?.body?.cancel();
        },
      };
    },
  };
}

interface EdgeFilesOptions {
  readonly client: Pick<PlatformClient, "send">;
  /** Folder for the files, which only this process uses. */
  readonly root: string;
  /** Maximum total size of the files, in bytes. */
  readonly maxBytes: number;
  /** Maximum time between two chunks of a file, in milliseconds. By default, 30 seconds. */
  readonly stalledMs?: number;
  onTrouble(message: string): void;
}

export class EdgeFiles {
  readonly #cache: DiskCache;
  readonly #stores = new Map<string, FsBlobStore>();
  readonly #fetches = new SingleFlight<void>();
  readonly #incoming: string;

  readonly #options: EdgeFilesOptions;

  private constructor(options: EdgeFilesOptions, incoming: string) {
    this.#options = options;
    this.#incoming = incoming;
    this.#cache = new DiskCache(options);
  }

  /** @throws {StoreUnusableError} if the folder is not writable. */
  static async open(options: EdgeFilesOptions): Promise<EdgeFiles> {
    return new EdgeFiles(options, await prepareIncoming(options.root));
  }

  /** Returns a deployment's files. */
  of({ projectId, deploymentId }: Pick<SiteOfFiles, "projectId" | "deploymentId">): BlobReader {
    const store = this.#storeOf(projectId);
    const withFile = async <T>(sha256: string, work: () => Promise<T>): Promise<T> => {
      for (let fetches = 0;; fetches++) {
        try {
          const result = await work();
          this.#cache.touch(`${projectId}/${sha256}`);
          return result;
        } catch (error) {
          if (!(error instanceof BlobDamagedError) || fetches === MAX_FETCHES) throw error;
        }
        await this.#fetch({ projectId, deploymentId }, sha256);
      }
    };
    return {
      read: (sha256) => withFile(sha256, () => store.read(sha256)),
      stream: (sha256, range) => withFile(sha256, () => store.stream(sha256, range)),
      openFile: (sha256) => withFile(sha256, () => store.openFile(sha256)),
      reportDamage: (sha256) => store.reportDamage(sha256),
    };
  }

  #storeOf(projectId: string): FsBlobStore {
    const { root } = this.#options;
    let store = this.#stores.get(projectId);
    if (store === undefined) {
      store = new FsBlobStore({
        root: join(root, projectId),
        incoming: this.#incoming,
        damaged: join(root, "damaged", projectId),
        // Files can be fetched again, so there is no need to flush them.
        isCache: true,
        onUse: () => {},
        onDamaged: (sha256, movedTo) => {
          this.#cache.remove(`${projectId}/${sha256}`);
          Deno.removeSync(movedTo);
        },
      });
      this.#stores.set(projectId, store);
    }
    return store;
  }

  /** Concurrent requests for a file share one fetch. */
  #fetch(
    site: Pick<SiteOfFiles, "projectId" | "deploymentId">,
    sha256: string,
  ): Promise<void> {
    const { projectId } = site;
    const name = `${projectId}/${sha256}`;
    return this.#fetches.run(name, async () => {
      const { client, root, maxBytes, stalledMs = STALLED_MS } = this.#options;
      const stalled = new AbortController();
      const watch = () => setTimeout(() => stalled.abort(), stalledMs);
      let timer = watch();
      const moving = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        start(controller) {
          stalled.signal.addEventListener("abort", () => controller.error(stalled.signal.reason));
        },
        transform(part, controller) {
          clearTimeout(timer);
          timer = watch();
          controller.enqueue(part);
        },
      });
      try {
        const path = pathOfFile(site, sha256);
        const response = await client.send(path, { signal: stalled.signal });
        const body = response?.body ?? null;
        if (body === null) throw new BlobDamagedError(`The platform has no file ${sha256}`);
        const content = body.pipeThrough(moving);
        await this.#storeOf(projectId).putStream(sha256, content, { maxBytes });
      } finally {
        clearTimeout(timer);
      }
      const { size } = await Deno.stat(blobPath(join(root, projectId), sha256));
      this.#cache.add(name, size);
    });
  }
}
