/** The audit log: changes in a workspace, and who made them. @module */
export { type AuditedChange, type AuditLog } from "./audit_log.ts";
export { type Audit, createAudit } from "./create_audit.ts";
export { EXCHANGED, HOOK_REFUSED, HOOK_STOPPED, PUSHED } from "./recorded_operations.ts";
