// The version of the rig generator, for those who compare it without loading the generator.

/** Written into every rig; raised when the same portrait gives different frames. Not raised for gesture tracks alone:
 *  a stored avatar keeps those of its file. */
export const RIG_GENERATOR_VERSION = "1.6.0";
