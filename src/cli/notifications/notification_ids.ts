/** @module Finds the notifications that a command acts on. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { isUuid } from "../../lib/ids.ts";
import { CliError } from "../errors/cli_error.ts";

/** Collects IDs of notifications. */
export function notificationIds(text: string, previous: readonly string[] | undefined): string[] {
  const id = text.toLowerCase();
  if (!isUuid(id)) {
    throw new InvalidArgumentError(
      "Expected a notification ID. svc notifications list shows them.",
    );
  }
  return [...(previous ?? []), id];
}

/** Rejects a command line with both IDs and the flag for all notifications, or with neither. */
export function checkWhich(ids: readonly string[], all: boolean, flag: string): void {
  if (all && ids.length > 0) throw new CliError("usage", `Use either IDs or ${flag}`);
  if (!all && ids.length === 0) {
    throw new CliError("usage", `No notifications: pass their IDs, or ${flag}`);
  }
}
