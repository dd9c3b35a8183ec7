/** @module Finds processes that left their group (setsid), by a variable in their environment. */
import { killMarked, markedProcesses } from "../../lib/marked_processes.ts";
import { parseGroup } from "./listening_ports.ts";

/** Variable that marks the processes in a group. */
const MARK = "SVC_DEV_GROUP";

const MARK_BYTES = 12;

function groupOf(pid: number): number | undefined {
  try {
    return parseGroup(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return undefined;
  }
}

export class GroupMark {
  readonly #value = crypto.getRandomValues(new Uint8Array(MARK_BYTES)).toHex();

  /** The environment variable that marks each process in the group. */
  get variable(): Readonly<Record<string, string>> {
    return { [MARK]: this.#value };
  }

  /** The variable in the form `name=value`. */
  get text(): string {
    return `${MARK}=${this.#value}`;
  }

  /** Finds the processes that have left the group `group`. */
  async strays(group: number): Promise<readonly number[]> {
    return (await markedProcesses(this.text)).filter((pid) => groupOf(pid) !== group);
  }

  /** Kills all processes with the marker. */
  killAll(): Promise<void> {
    return killMarked(this.text);
  }
}
