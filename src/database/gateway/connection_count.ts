/**
 * How many connections there are, together and by address.
 *
 * @module
 */
import type { GatewayLimits } from "./types.ts";

export class ConnectionCount {
  readonly #byGroup = new Map<string, number>();
  #all = 0;

  readonly #limits: Pick<GatewayLimits, "maxConnections" | "maxPerAddress">;
  readonly #groupOf: (address: string) => string | undefined;

  constructor(
    limits: Pick<GatewayLimits, "maxConnections" | "maxPerAddress">,
    groupOf: (address: string) => string | undefined,
  ) {
    this.#limits = limits;
    this.#groupOf = groupOf;
  }

  /**
   * Counts a connection.
   *
   * @returns what is called at its end; `undefined` where there are too many
   */
  enter(address: string): (() => void) | undefined {
    const group = this.#groupOf(address);
    const ofGroup = group === undefined ? 0 : this.#byGroup.get(group) ?? 0;
    if (this.#all >= this.#limits.maxConnections || ofGroup >= this.#limits.maxPerAddress) {
      return undefined;
    }
    this.#all++;
    if (group !== undefined) this.#byGroup.set(group, ofGroup + 1);
    return () => {
      this.#all--;
      if (group !== undefined) this.#leave(group);
    };
  }

  #leave(group: string): void {
    const left = (this.#byGroup.get(group) ?? 1) - 1;
    if (left === 0) this.#byGroup.delete(group);
    else this.#byGroup.set(group, left);
  }
}
