const KIB = 1024

/** Characters of a name and of a quote, sizes of a caption and a thumbnail. */
export const SAID = {
  nameMax: 255,
  quoteMax: 200,
  captionBytes: 4 * KIB,
  thumbnailBytes: 6 * KIB,
  /** A voice message, and its parts of shown loudness. */
  voiceSeconds: 15 * 60,
  voicePeaks: 64,
  videoSeconds: 24 * 60 * 60,
  /** Pictures in one album. */
  albumMax: 10,
  /** Emojis of one person, and UTF-16 units of one. */
  reactionsMax: 3,
  emojiMax: 32,
  editsMax: 10_000,
  textsMax: 50,
  starsMax: 1000,
  transferBytes: 100 * 1024 * 1024 - 1,
} as const
