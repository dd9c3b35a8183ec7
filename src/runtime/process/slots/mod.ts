/**
 * Memory that the platform and its edge threads share about processes of foreign code.
 *
 * @module
 */
export { ServerSlot, type SharedSlots, shareSlots } from "./server_slot.ts";
