const KIB = 1024

/** What a message says of a file: characters of its name, sizes of its caption (as of a text) and of its thumbnail. */
export const SAID = {
  nameMax: 255,
  captionBytes: 4 * KIB,
  thumbnailBytes: 6 * KIB,
  /** Length of a voice message, and parts of it whose loudness is shown. */
  voiceSeconds: 15 * 60,
  voicePeaks: 64,
} as const
