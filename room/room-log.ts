/** Where the parts of a room log, as our loggers do. */
export interface RoomLog {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
