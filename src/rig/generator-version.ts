// The version of the rig generator, for those who compare it without loading the generator.

/** Written into every rig; raised when the same portrait gives different frames. */
export const RIG_GENERATOR_VERSION = "1.5.0";
