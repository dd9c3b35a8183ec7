/**
 * What forges send to a hook: recognized, verified and read.
 *
 * @module
 */
export { type ForgeEvent, PayloadError } from "./forge_event.ts";
export { type Delivery, deliveryOf, isSigned, readDelivery, type Report } from "./read_delivery.ts";
export { isSameRepository } from "./repository.ts";
