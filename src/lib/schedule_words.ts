/** @module Describes a crontab schedule in words. Pure. */

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

const DAYS = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;

/** Maximum number of daily times that are written out. */
const MAX_TIMES = 6;

const two = (number: number): string => `${number}`.padStart(2, "0");

const isNumbers = (field: string): boolean => /^\d+(?:,\d+)*$/.test(field);

const numbersOf = (field: string): number[] => field.split(",").map(Number).sort((a, b) => a - b);

const listOf = (words: readonly string[]): string =>
  new Intl.ListFormat("en-GB", { type: "conjunction" }).format(words);

/**
 * Returns the step of a field that is `*` with a step, or `undefined` for fields of any other form.
 */
const stepOf = (field: string): number | undefined => {
  const [, step] = /^\*\/(\d+)$/.exec(field) ?? [];
  return step === undefined ? undefined : Number(step);
};

/** Returns the full name of a month or day, given its number or short name. */
function placeIn(names: readonly string[], text: string, first: number): string {
  const named = names.find((name) => name.slice(0, 3).toLowerCase() === text);
  return named ?? names[(Number(text) - first) % names.length] ?? text;
}

/**
 * Returns the values and ranges of a field, with each value formatted by `name`. Steps stay as they
 * are.
 */
function fieldWords(field: string, name: (text: string) => string = String): string {
  return listOf(
    field.split(",").map((part) => {
      if (part.includes("/") || part === "*") return part;
      return part.split("-").map(name).join(" to ");
    }),
  );
}

function minuteWords(minute: string): string {
  const step = stepOf(minute);
  if (minute === "*" || step === 1) return "every minute";
  if (step !== undefined && 60 % step === 0) return `every ${step} minutes`;
  return `at minute ${fieldWords(minute)}`;
}

function hourlyWords(minute: string, hour: string): string {
  const step = stepOf(hour);
  if (hour === "*" || step === 1) {
    if (minute === "0") return "every hour";
    return isNumbers(minute) ? `every hour ${minuteWords(minute)}` : minuteWords(minute);
  }
  if (step !== undefined && 24 % step === 0 && isNumbers(minute)) {
    return minute === "0" ? `every ${step} hours` : `every ${step} hours ${minuteWords(minute)}`;
  }
  return `${minuteWords(minute)} in hours ${fieldWords(hour)}`;
}

/**
 * Returns the times of day that lists of minutes and hours produce, or `undefined` if there are too
 * many.
 */
function timesOf(minute: string, hour: string): string | undefined {
  if (!isNumbers(minute) || !isNumbers(hour)) return undefined;
  const times = numbersOf(hour).flatMap((h) => numbersOf(minute).map((m) => `${two(h)}:${two(m)}`));
  return times.length > MAX_TIMES ? undefined : `at ${listOf(times)}`;
}

/**
 * Returns the days of the month or week in words. If a schedule specifies both, it runs on days
 * that match either.
 */
function dayWords(day: string, weekday: string): string {
  const ofMonth = day === "*" ? [] : [`day ${fieldWords(day)} of the month`];
  const ofWeek = weekday === "*" ? [] : [fieldWords(weekday, (text) => placeIn(DAYS, text, 0))];
  return [...ofMonth, ...ofWeek].join(" or ");
}

/** Describes a valid schedule of five fields in words, such as "at 09:00 on Monday to Friday". */
export function scheduleWords(schedule: string): string {
  const [minute = "*", hour = "*", day = "*", month = "*", weekday = "*"] = schedule.trim()
    .toLowerCase().split(/\s+/);
  const times = timesOf(minute, hour);
  const days = dayWords(day, weekday);
  const months = month === "*"
    ? ""
    : ` in ${fieldWords(month, (text) => placeIn(MONTHS, text, 1))}`;
  const when = times ?? hourlyWords(minute, hour);
  if (days !== "") return `${when} on ${days}${months}`;
  return times === undefined ? `${when}${months}` : `${when} every day${months}`;
}
