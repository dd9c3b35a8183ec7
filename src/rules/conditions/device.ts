/** @module The `device` condition: the kind of device, according to the user agent. */
import { choice } from "../schema_parts.ts";
import { type Device, DEVICES } from "../vocabulary.ts";
import type { ConditionType } from "./condition_type.ts";
import { createValueIndex, describeFact } from "./lists.ts";

export const device: ConditionType<Device, Device> = {
  schema: choice(DEVICES),
  cost: 10,
  isClientBound: true,
  vary: "device",
  normalize: (value) => value,
  compile: (value) => (facts) => facts.device() === value,
  explain: (wanted, facts) => ({ wanted, seen: describeFact(facts.device()) }),
  sample: (value) => ({ device: value }),
  contains: (outer, inner) => outer === inner,
  disjoint: (a, b) => a !== b,
  index: {
    selectivity: 2,
    create: () => createValueIndex((value: Device) => [value], (facts) => facts.device()),
  },
};
