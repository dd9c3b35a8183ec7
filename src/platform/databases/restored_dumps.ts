/** Restored dumps of server databases, until the platform has created their branches. @module */
import { join } from "node:path";
import { EngineError } from "../../database/mod.ts";
import { ifMissing } from "../../lib/missing_files.ts";
import type { OpenStorage } from "./branch_access.ts";
import { makeFromScript } from "./transfer.ts";

/** The folder for the dumps, both in the data directory and in a backup. */
export const DUMPS_FOLDER = "database_dumps";

export const dumpName = (storageId: string): string => `${storageId}.sql`;

export class RestoredDumps {
  readonly #dataFolder: string;

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
  }

  #path(storageId: string): string {
    return join(this.#dataFolder, DUMPS_FOLDER, dumpName(storageId));
  }

  /** @throws {EngineError} */
  async restore(storageId: string, target: OpenStorage): Promise<void> {
    const path = this.#path(storageId);
    let file: Deno.FsFile;
    try {
      file = await Deno.open(path);
    } catch (cause) {
      const message = `The restored backup does not contain this branch: ${path} is missing`;
      throw new EngineError(message, "58P01", { cause });
    }
    await makeFromScript(file.readable, target);
  }

  async remove(storageId: string): Promise<void> {
    await Deno.remove(this.#path(storageId)).catch(ifMissing);
  }
}
