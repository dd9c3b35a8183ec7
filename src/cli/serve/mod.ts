/**
 * Running a platform on this machine.
 *
 * @module
 */
import type { OldProgram, ProgramPlace } from "./running_program.ts";

export type { OldProgram, ProgramPlace };
export { BACKUP, MIGRATE_STORE, REKEY, RESTORE, SERVE } from "./group.ts";

/** What still runs the program that was at a path before it was replaced. */
export async function findOldPrograms(place: ProgramPlace): Promise<readonly OldProgram[]> {
  const running = await import("./running_program.ts");
  return await running.findOldPrograms(place);
}
export { postgresOf } from "./postgres_place.ts";
