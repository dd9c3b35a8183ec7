/**
 * The commands of `cli/doctor/`, with what loads each of them.
 *
 * @module
 */
import type { CommandLeaf } from "../command/mod.ts";

export const DOCTOR: CommandLeaf = {
  name: "doctor",
  section: "Platform",
  summary: "Check what the platform needs of this machine",
  load: () => import("./doctor.ts"),
};
