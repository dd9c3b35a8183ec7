/**
 * @module Polls for the token of a device authorization according to RFC 8628 (3.5): never faster
 * than requested, 5 seconds slower after each `slow_down`, and twice as slow after each network
 * failure.
 */
import type { DeviceLogin, PollAnswer } from "../../client/device_login.ts";
import type { Clock } from "../../lib/clock.ts";

const SLOW_DOWN_MS = 5000;
/** Maximum pause between attempts while the network is unavailable. */
const LONGEST_PAUSE_MS = 30_000;

/** The last response: a token or a refusal. */
export type LoginOutcome = Extract<PollAnswer, { type: "token" | "refused" }>;

interface WaitOptions {
  readonly now: Clock;
  /** Waits. Rejects when the user stops the program. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called when the platform stops responding, and when it responds again. */
  readonly onTrouble: (error: Error | undefined) => void;
}

/** Polls until the platform returns a token or a refusal, or the code has expired. */
export async function waitForToken(
  login: DeviceLogin,
  options: WaitOptions,
): Promise<LoginOutcome> {
  const { now, sleep, onTrouble } = options;
  const { interval: seconds, expires_in: lifetime } = login.authorization;
  let interval = seconds * 1000;
  let pause = interval;
  let isTroubled = false;
  // The platform reports when the code has expired, so poll once more after that.
  const deadline = now() + lifetime * 1000 + interval;
  while (now() + pause <= deadline) {
    await sleep(pause);
    const answer = await login.poll();
    if (answer.type === "token" || answer.type === "refused") return answer;
    if ((answer.type === "trouble") !== isTroubled) {
      isTroubled = !isTroubled;
      onTrouble(answer.type === "trouble" ? answer.error : undefined);
    }
    if (answer.type === "slow_down") interval += SLOW_DOWN_MS;
    pause = answer.type === "trouble"
      ? Math.max(Math.min(pause * 2, LONGEST_PAUSE_MS), answer.wait)
      : interval;
  }
  return { type: "refused", code: "expired_token", message: "The code has expired" };
}
