/** A platform's takeover from its predecessor, and its handover to its successor. @module */
import { setTimeout as delay } from "node:timers/promises";
import type { OrderedCertificates } from "../platform/certificates/mod.ts";
import type { ConnectionHandler } from "../platform/core/listener/mod.ts";
import { isFullDisk } from "../platform/core/store/mod.ts";
import type { Closers } from "./closers.ts";
import { type HandoverFolder, makeHandoverFolder } from "./handover/handover_folder.ts";
import { offerHandover } from "./handover/offer_handover.ts";
import type { RunningRequests } from "./handover/running_requests.ts";
import type { Takeover } from "./handover/take_over.ts";
import { takeRequests } from "./handover/take_requests.ts";
import { type Dispatch, DRAIN_MS, type Listeners } from "./listeners.ts";
import type { LocalEdges } from "./local_edges/local_edges.ts";
import type { CompleteOptions } from "./options.ts";

interface SuccessionParts {
  /** The previous platform, if it is still running. */
  readonly takeover: Takeover | undefined;
  readonly listeners: Listeners;
  readonly closing: AbortController;
  readonly closers: Closers;
  readonly running: RunningRequests;
  readonly beside: { readonly edges?: Pick<LocalEdges, "start" | "stop"> | undefined };
  readonly options: Pick<CompleteOptions, "dataDir" | "log">;
  /** Starts everything behind the ports again, after a successor has failed to start. */
  readonly resume: () => Promise<Dispatch>;
  /** Called if neither the successor nor this platform can serve. */
  readonly onFailure: (reason: Error) => void;
}

export class Succession {
  #folder: HandoverFolder | undefined;
  #offer: { close(): void } | undefined;

  #certificates: OrderedCertificates | undefined;

  readonly #parts: SuccessionParts;

  constructor(parts: SuccessionParts) {
    this.#parts = parts;
  }

  /** Takes over the data directory from the previous platform, if that is still running. */
  async arrive(): Promise<void> {
    await this.#parts.takeover?.takeOver();
  }

  /** Serves requests that the previous platform passes on, and prepares for a successor. */
  async settle(
    dispatch: Dispatch,
    certificates: OrderedCertificates | undefined,
  ): Promise<void> {
    this.#certificates = certificates;
    const { takeover, listeners, beside } = this.#parts;
    if (takeover === undefined) beside.edges?.start();
    const folder = await this.#makeFolder();
    if (folder === undefined) return;
    this.#folder = folder;
    if (takeover === undefined) return await this.#offerPlace(folder);
    const passed = takeRequests(folder.requests, dispatch);
    const { closed } = await takeover.ready(folder.requests, listeners);
    closed.then(async () => {
      await passed.close();
      if (!this.#parts.closing.signal.aborted) beside.edges?.start();
      await this.#offerPlace(folder);
    }).catch((error) => {
      this.#parts.options.log({ level: "error", message: `Cannot offer a handover: ${error}` });
    });
  }

  /** Ends the takeover, if it is still running, and rejects further successors. */
  async end(): Promise<void> {
    this.#parts.takeover?.abandon();
    this.#offer?.close();
    await this.#folder?.remove();
    this.#folder = undefined;
  }

  /**
   * Creates the folder for the sockets; `undefined` if the disk is full, because a platform can
   * serve without the folder.
   */
  async #makeFolder(): Promise<HandoverFolder | undefined> {
    const { takeover, options: { dataDir } } = this.#parts;
    try {
      return await makeHandoverFolder(dataDir);
    } catch (error) {
      if (takeover !== undefined) throw error;
      this.#refuseWithoutRoom(error);
      return undefined;
    }
  }

  async #offerPlace(folder: HandoverFolder): Promise<void> {
    const { listeners, closing, beside, options } = this.#parts;
    if (closing.signal.aborted) return;
    this.#offer = offerHandover(folder.control, {
      port: listeners.port,
      httpsPort: listeners.httpsPort,
      standAlone: async () => {
        await beside.edges?.stop();
        // This must be the last step, because a certificate may change while the edges are
        // stopping.
        await listeners.standAlone();
      },
      stay: () => beside.edges?.start(),
      divert: (handler) => this.#divert(handler),
      release: () => this.#release(),
      close: () => listeners.close(),
      resume: this.#parts.resume,
      onFailure: this.#parts.onFailure,
      log: options.log,
    });
    try {
      await folder.publish();
    } catch (error) {
      this.#refuseWithoutRoom(error);
    }
  }

  /** Ignores a full disk, because a platform can serve without the file. */
  #refuseWithoutRoom(error: unknown): void {
    if (!isFullDisk(error)) throw error;
    const message = "The disk is full, so you can stop this platform but not replace it";
    this.#parts.options.log({ level: "warn", message });
  }

  #divert(handler: ConnectionHandler): void {
    this.#parts.listeners.open({ http: handler, https: handler, own: handler }, this.#certificates);
  }

  async #release(): Promise<void> {
    const { closing, running, closers } = this.#parts;
    closing.abort();
    const late = new AbortController();
    await Promise.race([
      running.idle(),
      delay(DRAIN_MS, undefined, { signal: late.signal }).catch(() => {}),
    ]);
    late.abort();
    this.#offer?.close();
    await this.#folder?.leave();
    this.#folder = undefined;
    await closers.close();
  }
}
