/** @module The manifest's `cron`: requests that the platform sends on a schedule. */
import * as z from "zod";
import { isTimeZone, MAX_SCHEDULE_LENGTH, scheduleProblem } from "../lib/cron_schedule.ts";

/** Maximum number of tasks per deployment. */
export const MAX_CRON_TASKS = 20;

const MAX_PATH = 512;
const MAX_ZONE = 64;

const WANTED_PATH =
  `Use a path of at most ${MAX_PATH} characters that begins with / and has no # or spaces`;
const WANTED_SCHEDULE = 'Use five crontab fields, such as "*/5 * * * *"';
const WANTED_ZONE = 'Use the name of a time zone, such as "Europe/Berlin"';
const MAX_RETRIES = 5;
const WANTED_RETRIES = `Use a whole number from 0 to ${MAX_RETRIES}`;
const WANTED_LIST = `Use a list of at most ${MAX_CRON_TASKS} tasks`;

export const cronTaskSchema = z.strictObject({
  path: z.string(WANTED_PATH).max(MAX_PATH, WANTED_PATH)
    .regex(/^\/(?!\/)[\x21-\x22\x24-\x7e]*$/, WANTED_PATH).describe(
      "Path of the request, with an optional query.",
    ),
  schedule: z.string(WANTED_SCHEDULE).max(MAX_SCHEDULE_LENGTH, WANTED_SCHEDULE)
    .superRefine((schedule, context) => {
      const problem = scheduleProblem(schedule);
      if (problem === undefined) return;
      context.addIssue({ code: "custom", message: `${WANTED_SCHEDULE} (${problem})` });
    }).describe("Schedule: minute, hour, day of the month, month, day of the week."),
  timezone: z.string(WANTED_ZONE).max(MAX_ZONE, WANTED_ZONE).refine(isTimeZone, WANTED_ZONE)
    .optional().describe("IANA time zone of the schedule. Default: UTC."),
  retries: z.int(WANTED_RETRIES).min(0, WANTED_RETRIES).max(MAX_RETRIES, WANTED_RETRIES).optional()
    .describe("How many times to retry a failed scheduled run. Default: 0."),
}, "Use a table with path and schedule");

/** A task that runs on a schedule. */
export type CronTask = Readonly<z.infer<typeof cronTaskSchema>>;

const keyOf = ({ path, schedule, timezone = "UTC" }: CronTask) =>
  [path, schedule.trim().replace(/\s+/g, " "), timezone].join(" ");

export const cronTasksSchema = z.array(cronTaskSchema, WANTED_LIST)
  .max(MAX_CRON_TASKS, WANTED_LIST)
  .superRefine((tasks, context) => {
    const seen = new Set<string>();
    for (const [index, task] of tasks.entries()) {
      const key = keyOf(task);
      if (seen.has(key)) {
        context.addIssue({
          code: "custom",
          path: [index],
          message: "Remove it: another task has the same path and schedule",
        });
      }
      seen.add(key);
    }
  });

/** Merges the tasks from two sources, without duplicates. */
export function joinCronTasks(...lists: readonly (readonly CronTask[])[]): CronTask[] {
  return [...new Map(lists.flat().map((task) => [keyOf(task), task])).values()];
}
