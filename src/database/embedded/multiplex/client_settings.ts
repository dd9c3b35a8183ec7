/** @module Settings of many clients in one backend, and the values last reported to each client. */
import type { SharedBackend } from "./backend.ts";
import type { Client } from "./client.ts";
import { applySettings, isSameSettings, showSettings } from "./settings.ts";

export class ClientSettings {
  /** The client whose settings are active in the backend. */
  #current: Client | undefined;
  /** Digest of that client's settings in the backend. */
  #digest = "";
  /** Digest of the settings last reported to a client. */
  #told = "";
  /** Parameters of the backend when no client's settings are applied. */
  #defaults: ReadonlyMap<string, string> = new Map();

  readonly #backend: SharedBackend;

  constructor(backend: SharedBackend) {
    this.#backend = backend;
  }

  /** Reads the backend's parameters, before the first client. */
  begin(): void {
    this.#backend.ask("RESET ALL");
    this.#defaults = this.#backend.readParameters();
  }

  /**
   * Records the parameters sent to a new client. The client's own settings are applied with its
   * first message.
   */
  greet(client: Client): void {
    const given = new Map(
      [...client.settings].map(([name, value]) => [name.toLowerCase(), value] as const),
    );
    for (const [name, value] of this.#defaults) {
      client.told.set(name, given.get(name.toLowerCase()) ?? value);
    }
  }

  /**
   * Applies a client's settings to the backend, and saves the settings of the previous client.
   *
   * @returns whether anything has changed
   * @throws {BackendError} if the settings in its startup message are rejected
   */
  give(client: Client): boolean {
    const last = this.#current;
    if (last === client) return false;
    const isKnown = last !== undefined && this.#backend.settingsDigest === this.#digest;
    if (last !== undefined && !last.isGone && !isKnown) this.#keep(last);
    const isSame = isKnown && !client.isFresh && isSameSettings(last?.settings, client.settings);
    this.#current = isSame ? client : undefined;
    if (isSame) return false;
    this.#backend.ask(applySettings(client.settings));
    this.#digest = this.#backend.settingsDigest;
    this.#current = client;
    client.isFresh = false;
    return true;
  }

  /**
   * Marks the backend's settings as belonging to no client. The previous client keeps its saved
   * settings.
   */
  forget(): void {
    this.#current = undefined;
  }

  #keep(client: Client): void {
    client.settings = new Map(
      this.#backend.ask(showSettings(this.#backend.settingNames))
        .map(([name, value]) => [name ?? "", value ?? ""]),
    );
  }

  /** Whether settings have changed since a client was last notified. */
  get hasNews(): boolean {
    return this.#backend.settingsDigest !== this.#told;
  }

  /**
   * Returns the parameters that differ from the values last reported to a client, and records them
   * as reported.
   */
  news(client: Client): [string, string][] {
    this.#told = this.#backend.settingsDigest;
    const changed = [...this.#backend.readParameters()]
      .filter(([name, value]) => client.told.get(name) !== value);
    for (const [name, value] of changed) client.told.set(name, value);
    return changed;
  }
}
