/**
 * pg-boss, a job queue in PostgreSQL (Debian's, with default settings). Jobs are sent, fetched and
 * completed one by one, as svc delivers them.
 *
 * @module
 */
import { PgBoss } from "pg-boss";
import { startPlainPostgres } from "./_plain_postgres.ts";

const QUEUE = "bench";

interface Boss {
  send(body: string): Promise<void>;
  /** Takes one job and completes it; returns false if there is no job. */
  take(): Promise<boolean>;
}

/** Calls `run` with a PostgreSQL server whose data folder is empty. */
export async function withPgBoss<T>(folder: string, run: (boss: Boss) => Promise<T>): Promise<T> {
  const postgres = await startPlainPostgres(folder);
  try {
    const boss = new PgBoss({ connectionString: postgres.url("postgres"), supervise: false });
    boss.on("error", (error) => {
      throw error;
    });
    await boss.start();
    try {
      await boss.createQueue(QUEUE);
      return await run({
        send: async (body) => void await boss.send(QUEUE, { body }),
        async take() {
          const [job] = await boss.fetch(QUEUE);
          if (job === undefined) return false;
          await boss.complete(QUEUE, job.id);
          return true;
        },
      });
    } finally {
      await boss.stop({ graceful: false });
    }
  } finally {
    await postgres.stop();
  }
}
