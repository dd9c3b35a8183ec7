/**
 * What kind of device a request comes from, by its `User-Agent`.
 *
 * @module
 */
import Bowser from "bowser";
import { isbot } from "isbot";
import type { Device } from "../_rules.ts";
import { memoize } from "../memo.ts";

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
 * Returns the device of a user agent. One that is unknown counts as a desktop;
 * a program that sends none is a bot.
 */
export function deviceOf(userAgent: string | null): Device {
  if (userAgent === null || userAgent === "") return "bot";
  return rememberedDevice(userAgent.slice(0, MAX_LENGTH));
}
