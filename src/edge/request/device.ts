import Bowser from "bowser";
import { isbot } from "isbot";
import type { Device } from "../../rules/mod.ts";
import { memoize } from "../../lib/memo.ts";

/** Number of user agents whose device is memoized. Parsing a user agent takes about 50 µs. */
const REMEMBERED = 4096;

/** Maximum number of characters that are read from a user agent. No browser sends more. */
const MAX_LENGTH = 512;

function parseDevice(userAgent: string): Device {
  if (isbot(userAgent)) return "bot";
  const type = Bowser.parse(userAgent).platform.type;
  return type === "mobile" || type === "tablet" ? type : "desktop";
}

const rememberedDevice = memoize(parseDevice, REMEMBERED);

/**
 * Returns the device of a user agent. Televisions and unknown devices count as `desktop`, while a
 * client without a user agent counts as `bot`.
 */
export function deviceOf(userAgent: string | null): Device {
  if (userAgent === null || userAgent === "") return "bot";
  return rememberedDevice(userAgent.slice(0, MAX_LENGTH));
}
