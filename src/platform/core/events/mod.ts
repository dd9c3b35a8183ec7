/** Events: occurrences on the platform, stored before they are passed on. @module */
export { EventBus, type PassOn } from "./event_bus.ts";
export { receiptId } from "./event_id.ts";
export { noteEvent } from "./event_note.ts";
export { type EventRecord, EventStore } from "./event_store.ts";
export type { EventAudience, RaisedEvent, RaiseEvent } from "./raise_event.ts";
export { securityNotice } from "./security_notice.ts";
