/**
 * Copies a branch from one engine to another: as SQL.
 *
 * @module
 */
import type { OpenStorage } from "./branch_access.ts";

/**
 * Makes the target anew with what the source holds.
 *
 * @throws {EngineError}
 */
export type Transfer = (source: OpenStorage, target: OpenStorage) => Promise<void>;
