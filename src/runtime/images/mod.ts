/**
 * Converts images: libvips as WebAssembly, in processes that may open nothing.
 *
 * @module
 */
export { ImageEngine, type ImageEngineOptions } from "./image_engine.ts";
export {
  defaultImageProcesses,
  type ImageEngineLimits,
  MAX_IMAGE_SIDE,
  MAX_SOURCE_BYTES,
} from "./limits.ts";
export { imageProcessCommand } from "./process_command.ts";
export {
  type ConvertFailure,
  type ConvertJob,
  type ConvertResult,
  IMAGE_FITS,
  IMAGE_FORMATS,
  type ImageFit,
  type ImageFormat,
} from "./types.ts";
