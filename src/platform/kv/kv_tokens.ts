/**
 * Tokens by which servers open their namespace. They live as long as the
 * process of the platform, as servers do, and are stored nowhere.
 *
 * @module
 */
import type { Random } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { Namespace } from "../../kv/mod.ts";

const TOKEN_BYTES = 32;

const encode = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

export class KvTokens {
  readonly #tokens = new Map<string, string>();
  /** By the hash of the token, so that how long a search takes says nothing of it. */
  readonly #namespaces = new Map<string, Namespace>();

  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** The token of a deployment's servers, made by the first call. */
  tokenOf(deploymentId: string, namespace: Namespace): string {
    let token = this.#tokens.get(deploymentId);
    if (token === undefined) {
      token = `svckv_${encode(this.#random(TOKEN_BYTES))}`;
      this.#tokens.set(deploymentId, token);
      this.#namespaces.set(sha256Hex(token), namespace);
    }
    return token;
  }

  /** The namespace that a token opens. */
  namespaceOf(token: string): Namespace | undefined {
    return this.#namespaces.get(sha256Hex(token));
  }

  /** Makes all tokens for a project, or for one environment of it, worthless. */
  forget(projectId: string, environment?: string): void {
    for (const [deploymentId, token] of this.#tokens) {
      const hash = sha256Hex(token);
      const [project, name] = this.#namespaces.get(hash) ?? [];
      if (project !== projectId || (environment !== undefined && name !== environment)) continue;
      this.#namespaces.delete(hash);
      this.#tokens.delete(deploymentId);
    }
  }
}
