import assert from "node:assert/strict";
import { scheduleWords } from "./schedule_words.ts";

const WORDS: readonly (readonly [string, string])[] = [
  ["* * * * *", "every minute"],
  ["*/5 * * * *", "every 5 minutes"],
  ["*/7 * * * *", "at minute */7"],
  ["0 * * * *", "every hour"],
  ["15,45 * * * *", "every hour at minute 15 and 45"],
  ["0 */2 * * *", "every 2 hours"],
  ["30 */6 * * *", "every 6 hours at minute 30"],
  ["30 4 * * *", "at 04:30 every day"],
  ["0 9,17 * * *", "at 09:00 and 17:00 every day"],
  ["0 9 * * MON-FRI", "at 09:00 on Monday to Friday"],
  ["0 9 * * 1-5", "at 09:00 on Monday to Friday"],
  ["0 0 * * 7", "at 00:00 on Sunday"],
  ["0 0 1 * *", "at 00:00 on day 1 of the month"],
  ["0 0 13 * FRI", "at 00:00 on day 13 of the month or Friday"],
  ["30 0 1 JAN *", "at 00:30 on day 1 of the month in January"],
  ["0 6 * 6-8 *", "at 06:00 every day in June to August"],
  ["*/10 8-17 * * 1-5", "every 10 minutes in hours 8 to 17 on Monday to Friday"],
  ["0 0-12/3 * * *", "at minute 0 in hours 0-12/3"],
];

for (const [schedule, words] of WORDS) {
  Deno.test(`scheduleWords() describes ${schedule} as "${words}"`, () => {
    assert.equal(scheduleWords(schedule), words);
  });
}
