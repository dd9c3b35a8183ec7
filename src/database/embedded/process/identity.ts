/**
 * @module Sets the backend's user. PGlite signs in as the superuser, and any client could return to
 * that role. Therefore, the backend must treat the branch's role as the user who signed in. The
 * backend stores that user in a word of its memory. This code finds the word, sets it, and then
 * tests the result.
 */
import type { PGlite } from "@electric-sql/pglite";

interface EngineMemory {
  readonly HEAPU8: Uint8Array;
  readonly _SetUserIdAndSecContext: (user: number, context: number) => void;
  readonly _GetUserId: () => number;
}

/** PostgreSQL's default superuser. */
const SUPERUSER = 10;

/** Maximum distance between the words with the current user, in words. */
const NEAR = 8;

const MARKS = [0x5a51_7c01, 0x2b36_1e93, 0x6d0f_4a27] as const;

/** The engine's variables are below this address, and its stack and heap are above it. */
const VARIABLES_END = 16 * 1024 * 1024;

function words(memory: EngineMemory): Int32Array {
  return new Int32Array(memory.HEAPU8.buffer as ArrayBuffer, 0, VARIABLES_END / 4);
}

/** Finds the backend's current user in memory: the only word that reflects each change. */
function findCurrentUser(memory: EngineMemory): number {
  let found: number[] | undefined;
  for (const mark of MARKS) {
    memory._SetUserIdAndSecContext(mark, 0);
    const heap = words(memory);
    if (found === undefined) {
      found = [];
      for (let at = heap.indexOf(mark); at >= 0; at = heap.indexOf(mark, at + 1)) found.push(at);
    } else found = found.filter((at) => heap[at] === mark);
  }
  memory._SetUserIdAndSecContext(SUPERUSER, 0);
  const [at] = found ?? [];
  if (found?.length !== 1 || at === undefined) throw new Error("Cannot find the backend's user");
  return at;
}

/**
 * Permanently makes a role the backend's signed-in user.
 *
 * @returns a function that runs something as the superuser
 * @throws {Error} If the role could still become the superuser
 */
export async function becomeRole(
  pg: PGlite,
  role: string,
): Promise<(work: () => void) => void> {
  const memory = pg.Module as unknown as EngineMemory;
  const current = findCurrentUser(memory);
  const name = `"${role.replaceAll('"', '""')}"`;
  await pg.exec(`SET SESSION AUTHORIZATION ${name}`);
  const user = memory._GetUserId();
  const heap = words(memory);
  for (let at = current - NEAR; at <= current + NEAR; at++) {
    if (heap[at] === SUPERUSER) heap[at] = user;
  }
  await refuseEscape(pg);
  return (work) => {
    memory._SetUserIdAndSecContext(SUPERUSER, 0);
    try {
      work();
    } finally {
      memory._SetUserIdAndSecContext(user, 0);
    }
  };
}

/** Tries every way to become the superuser again. Each must fail or have no effect. */
async function refuseEscape(pg: PGlite): Promise<void> {
  const ways = ["SET SESSION AUTHORIZATION postgres", "RESET SESSION AUTHORIZATION", "RESET ROLE"];
  for (const way of [...ways, "SET ROLE postgres"]) await pg.exec(way).catch(() => {});
  const { rows } = await pg.query<{ rolsuper: boolean }>(
    "SELECT bool_or(rolsuper) AS rolsuper FROM pg_roles WHERE rolname IN (current_user, session_user)",
  );
  if (rows[0]?.rolsuper !== false) throw new Error("The role could become the superuser");
}
