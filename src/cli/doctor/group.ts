/**
 * The commands of `cli/doctor/`, with what loads each of them.
 *
 * @module
 */
import type { CommandLeaf } from "../command/command_entry.ts";

export const DOCTOR: CommandLeaf = {
  name: "doctor",
  section: "Platform",
  summary: "Check this machine, its databases, the platform and the login",
  load: () => import("./doctor.ts"),
};
