/**
 * What kind of device a request comes from, by its `User-Agent`.
 *
 * @module
 */
import Bowser from "bowser";
import { isbot } from "isbot";
import type { Device } from "../../rules/mod.ts";
import { memoize } from "../../lib/memo.ts";

/** User agents that are remembered; parsing one takes some 50 µs. */
const REMEMBERED = 4096;

/** Characters of a user agent that are looked at: more is no browser's. */
const MAX_LENGTH = 512;

function parseDevice(userAgent: string): Device {
  if (isbot(userAgent)) return "bot";
  const type = Bowser.parse(userAgent).platform.type;
  return type === "mobile" || type === "tablet" ? type : "desktop";
}

const rememberedDevice = memoize(parseDevice, REMEMBERED);

/**
 * Returns the device of a user agent. A television, and what is not known,
 * counts as a desktop; a program that sends no user agent is a bot.
 */
export function deviceOf(userAgent: string | null): Device {
  if (userAgent === null || userAgent === "") return "bot";
  return rememberedDevice(userAgent.slice(0, MAX_LENGTH));
}
