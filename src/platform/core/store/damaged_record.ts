/** Records that do not match their schema. @module */
import { nameOf } from "./set_aside.ts";
import type { RecordKey } from "../../../store/mod.ts";

/** Thrown if a stored record does not have the shape that this version of svc expects. */
export class DamagedRecordError extends Error {
  override readonly name = "DamagedRecordError";
  constructor(key: RecordKey, cause: unknown) {
    super(
      `Cannot read the record ${nameOf(key)}: it is damaged, or another version of svc wrote it. ` +
        "Run svc doctor --deep, which reads every record",
      { cause },
    );
  }
}
