/** @module Allows only one upgrade of a program at a time. */
import { lockInTime } from "../../lib/file_lock.ts";
import { ifMissing } from "../../lib/missing_files.ts";
import { CliError } from "../errors/cli_error.ts";

const inodeOf = async (path: string): Promise<number | null | undefined> =>
  (await Deno.stat(path).catch(ifMissing))?.ino;

/**
 * Locks a file, which exists only as long as the lock. A lock on a file that another process has
 * just removed is useless, so in that case, the lock is acquired again.
 *
 * @throws {CliError} `conflict` if another process holds it.
 */
export async function lockUpgrade(path: string): Promise<AsyncDisposable> {
  for (;;) {
    const file = await Deno.open(path, { write: true, create: true });
    if (!await lockInTime(file)) {
      throw new CliError("conflict", "Another svc upgrade is replacing this program", {
        hint: "Wait until it has finished, then check svc --version",
      });
    }
    if ((await file.stat()).ino === await inodeOf(path)) {
      return {
        async [Symbol.asyncDispose]() {
          // Windows cannot remove open files, so an empty file remains there.
          await Deno.remove(path).catch(() => {});
          file.close();
        },
      };
    }
    file.close();
  }
}
