/** The rate at which an engine keeps each clip: that of most telephones. */
export const narrowClipRate = 8000;

/** The rate at which it keeps a clip of more than 8 kHz as well: it carries all of speech. */
export const wideClipRate = 16_000;
