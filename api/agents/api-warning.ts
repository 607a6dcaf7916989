// What the caller of an accepted request should know.

/** Source of the first: the contract. */
export const WARNING_CODES = ["MODEL_DEFAULT_DEPRECATED", "PICTURE_TOO_TIGHT", "PICTURE_TOO_SMALL"] as const;

export interface ApiWarning {
  code: (typeof WARNING_CODES)[number];
  /** For people, with what to do. */
  message: string;
}
