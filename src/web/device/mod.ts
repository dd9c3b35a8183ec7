/**
 * The pages on which a person lets a tool in (RFC 8628, 3.3).
 *
 * @module
 */
export { bindDevicePages, type DevicePageServices } from "./device_routes.ts";
