/** @module Dates in HTTP fields (RFC 9110, 5.6.7). One format is written, and three are parsed. */

const DAYS = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const TIME = "\\d\\d:\\d\\d:\\d\\d";
const IMF = new RegExp(`^${DAYS}, \\d\\d ${MONTHS} \\d{4} ${TIME} GMT$`);
const RFC850 = new RegExp(
  `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\\d\\d)-(${MONTHS})-(\\d\\d) (${TIME}) GMT$`,
);
const ASCTIME = new RegExp(`^${DAYS} (${MONTHS}) ([ \\d]\\d) (${TIME}) (\\d{4})$`);

/**
 * A two-digit year that would be more than 50 years in the future is in the past (RFC 9110, 5.6.7).
 */
const CENTURY_LIMIT_YEARS = 50;

function fullYear(twoDigits: number, now: number): number {
  const present = new Date(now).getUTCFullYear();
  const year = Math.floor(present / 100) * 100 + twoDigits;
  return year > present + CENTURY_LIMIT_YEARS ? year - 100 : year;
}

function valid(milliseconds: number): number | undefined {
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/**
 * Parses a date. Returns `undefined` if it is invalid. `now` determines the century of a two-digit
 * year.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  if (IMF.test(text)) return valid(Date.parse(text));
  const old = RFC850.exec(text);
  if (old !== null) {
    const [, day, month, year, time] = old;
    return valid(Date.parse(`${day} ${month} ${fullYear(Number(year), now)} ${time} GMT`));
  }
  const asctime = ASCTIME.exec(text);
  if (asctime === null) return undefined;
  const [, month, day, time, year] = asctime;
  return valid(Date.parse(`${day!.trim()} ${month} ${year} ${time} GMT`));
}

/** Formats a date, in milliseconds since the Unix epoch. */
export function formatHttpDate(milliseconds: number): string {
  return new Date(milliseconds).toUTCString();
}
