/**
 * Copies a branch from one engine to another: as SQL.
 *
 * @module
 */
import { EngineError } from "../../database/mod.ts";
import type { OpenStorage } from "./branch_access.ts";

/**
 * Makes the target anew with what the source holds.
 *
 * @throws {EngineError}
 */
export type Transfer = (source: OpenStorage, target: OpenStorage) => Promise<void>;

export const transfer: Transfer = (_source, _target) =>
  Promise.reject(new EngineError("Moving databases between engines is not possible yet", "0A000"));
