/** Creates a branch from SQL: from another engine, or from a restored backup. @module */
import { EngineError, runScript } from "../../database/mod.ts";
import type { OpenStorage } from "./branch_access.ts";

/** Recreates the target with the source's content. @throws {EngineError} */
export type Transfer = (source: OpenStorage, target: OpenStorage) => Promise<void>;

export const transfer: Transfer = (source, target) =>
  makeFromScript(source.engine.dump(source.branch, { schemaOnly: false }), target);

/** Recreates the target from a script. @throws {EngineError} */
export async function makeFromScript(
  script: ReadableStream<Uint8Array>,
  target: OpenStorage,
): Promise<void> {
  // A killed process may have left an incomplete branch.
  await target.engine.remove(target.branch.id);
  await target.engine.create(target.branch);
  const session = await target.engine.connect(
    target.branch,
    new Map([["application_name", "svc move"]]),
  );
  for await (const event of runScript(session, script)) {
    if (event.type !== "error") continue;
    throw new EngineError(`Cannot copy the database: ${event.message}`, event.sqlState);
  }
}
