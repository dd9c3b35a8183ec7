/** Reports the database engines for `GET /v1/health`. @module */
import { setTimeout as delay } from "node:timers/promises";
import type { Health } from "../../contract/system.ts";
import type { EngineStatus } from "../../database/mod.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import type { Engines } from "./engines.ts";

/** Timeout for an engine's health report, in milliseconds. */
const ANSWER_MS = 1500;

const SILENT: EngineStatus = {
  version: null,
  ready: false,
  problem: `PostgreSQL has not responded for ${ANSWER_MS / 1000} s`,
};

export class EngineHealth {
  readonly #asking = new SingleFlight<EngineStatus | undefined>();

  readonly #engines: Engines;

  constructor(engines: Engines) {
    this.#engines = engines;
  }

  /**
   * Describes the engines without opening them.
   *
   * @param port the port for clients, if there is one
   */
  async describe(port: number | undefined): Promise<NonNullable<Health["databases"]>> {
    const { usual } = this.#engines;
    const status = await this.#ask();
    const problem = status?.problem ?? this.#engines.lackOf(usual) ?? null;
    return {
      engine: usual,
      port: port ?? null,
      ready: problem === null && (status?.ready ?? true),
      problem,
    };
  }

  async #ask(): Promise<EngineStatus | undefined> {
    const engines = this.#engines;
    const asked = this.#asking.run(
      engines.usual,
      async () => await (await engines.opened(engines.usual))?.status(),
    );
    const answered = new AbortController();
    const silence = delay(ANSWER_MS, SILENT, answered).catch(() => SILENT);
    return await Promise.race([asked, silence]).finally(() => answered.abort());
  }
}
