const KIB = 1024
const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** The product's numbers. Units stand in the names. */
export const LIMITS = {
  usernameMin: 3,
  usernameMax: 30,
  displayNameMax: 50,
  passwordMin: 6,
  passwordMax: 100,
  onionShownChars: 16,

  /** A message's `content`, in UTF-8 bytes of the sealed envelope. */
  contentBytes: 64 * KIB,
  /** What a person may type, in UTF-8 bytes of its JSON form: sealed and padded it stays below `contentBytes`. */
  textBytes: 24 * KIB,
  pageDefault: 50,
  pageMax: 100,
  logPageMax: 200,

  bodyBytes: 256 * KIB,
  /** Of a body, a frame or a signed document. The largest honest ones have some 1,500 members and five levels. */
  json: { depthMax: 12, membersMax: 4000 },
  /** What a page reads of an answer, and of a frame. Pages of a log may be larger: their calls say so. */
  answerBytes: 4 * 1024 * KIB,
  pageAnswerBytes: 128 * 1024 * KIB,
  frameBytes: 128 * KIB,
  /** A socket whose unsent bytes pass this is closed: a slow reader must not cost the others memory. */
  socketBufferBytes: 1024 * KIB,
  socketsPerUser: 20,
  framesPerSecond: 20,

  sessionIdleSeconds: 14 * DAY,
  sessionAbsoluteSeconds: 90 * DAY,

  unreadCap: 99,
  notificationCap: 9,

  keyPackagesOneTime: 50,
  /** Below this many left the device makes new ones. */
  keyPackagesLow: 20,
  devicesMax: 20,
  /** Ids of removed devices in a manifest; more are not removed one by one. */
  devicesRemovedMax: 1000,
  /** Sealed history seeds that wait for a device; of more the oldest go. */
  historySealsPerDevice: 200,
  archiveKeysAtOnce: 100,
  contactsMax: 5000,
  roomMembersMax: 1000,

  testPlanMessagesPerMonth: 10,
} as const

/** How often each answer may be asked for: `points` calls in `seconds`. The key that is counted by stands in the name. */
export const RATES = {
  loginByAddress: { points: 30, seconds: 5 * MINUTE },
  loginByUsername: { points: 10, seconds: 5 * MINUTE },
  kitByAddress: { points: 30, seconds: 5 * MINUTE },
  kitByUsername: { points: 10, seconds: 5 * MINUTE },
  salt: { points: 60, seconds: 5 * MINUTE },
  register: { points: 10, seconds: 60 * MINUTE },
  registerTotal: { points: 300, seconds: 60 * MINUTE },
  availability: { points: 60, seconds: MINUTE },
  availabilityTotal: { points: 1200, seconds: MINUTE },
  addContact: { points: 30, seconds: 10 * MINUTE },
  claimKeyPackages: { points: 60, seconds: 10 * MINUTE },
} as const

export type Rate = keyof typeof RATES

/** Seconds and milliseconds that both ends keep to. */
export const PERIODS = {
  contactsPollMs: 5000,
  unreadPollMs: 3000,
  reconnectMs: 3000,
  reconnectAttempts: 5,
  heartbeatMs: 25_000,
  typingShownMs: 6000,
  typingSentMs: 3000,
  /** A call ends with words where nothing arrives for so long: what only reads, what writes, what carries keys or a book. */
  readSilenceMs: 30_000,
  writeSilenceMs: 45_000,
  uploadSilenceMs: 90_000,
  wholeAnswerMs: 300_000,
} as const

/** Raised when an old tab could misread a new server, or the reverse. */
export const CONTRACT_VERSION = 2
