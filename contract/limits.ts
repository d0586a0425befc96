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
  /** A page of messages ends with the one by which their contents reach this; one of the default length never does. */
  pageBytes: 50 * 64 * KIB,
  /** The same for the messages and for the commits of a page of the log. */
  logPageBytes: 1024 * KIB,
  /** What a row of the contact list holds of its newest message's `content`, in characters. */
  previewChars: 512,

  /** An account's address book, sealed: 5,000 contacts. */
  bookBytes: 4 * 1024 * KIB,
  /** A call that carries one, as base64. */
  bookCallBytes: 6 * 1024 * KIB,

  bodyBytes: 256 * KIB,
  /** Of a body, a frame or a signed document. The largest honest ones have some 2,500 members and five levels. */
  json: { depthMax: 12, membersMax: 4000 },
  /** What a page reads of an answer, and of a frame. Pages of a log may be larger: their calls say so. */
  answerBytes: 4 * 1024 * KIB,
  pageAnswerBytes: 128 * 1024 * KIB,
  frameBytes: 128 * KIB,
  /** A socket whose unsent bytes pass this is closed: a slow reader must not cost the others memory. */
  socketBufferBytes: 1024 * KIB,
  /** For headers, and for a body that is read as a whole. A streamed one has this and then a floor. */
  requestSeconds: 30,
  streamBytesPerSecond: 4 * KIB,
  connectionsMax: 20_000,
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
  /** Versions of an account's device list that can be fetched, and whose hashes clients keep. */
  manifestVersions: 100,
  /** A commit in base64-decoded bytes: the creation of a group with 40 leaves has 108 kB. */
  commitBytes: 256 * KIB,
  /** Sealed history seeds that wait for a device; of more the oldest go. */
  historySealsPerDevice: 200,
  archiveKeysAtOnce: 100,
  /** Of an epoch's archive keys, in the committer's slot and in that of the own devices: those under the newest history keys are answered. */
  archiveKeysPerSlot: 4,
  contactsMax: 5000,
  /** Open requests to one person: of more the oldest unanswered gives way. */
  requestsMax: 100,
  /** Of more the one that was not used for longest ends, those that no device has signed for first. */
  sessionsPerUser: 100,
  /** A contact request that nobody answers lapses. */
  requestDays: 90,
  /** A one-time key package that nobody claims is dropped; its device makes new ones. */
  keyPackageDays: 90,
  /** A claimed key package whose group was never created is dropped. */
  keyPackageClaimDays: 1,
  roomMembersMax: 1000,
} as const

/**
 * How often each thing may be done: `points` calls in `seconds`, counted `per` address, name, session, user, user and room, or for `all`
 * together. Those of people leave room for who types, pastes and reconnects: twenty messages at once and five a second are far below.
 */
export const RATES = {
  /** Wrong tries at the door: of an address, of a name from that address, of a name from everywhere, of a browser that is known. */
  signInByAddress: { points: 30, seconds: 5 * MINUTE, per: 'address' },
  signInByNameAndAddress: { points: 10, seconds: 5 * MINUTE, per: 'name' },
  signInByName: { points: 200, seconds: 5 * MINUTE, per: 'name' },
  signInByBrowser: { points: 10, seconds: 5 * MINUTE, per: 'name' },
  /** Tries at password or kit by who is signed in. */
  guesses: { points: 10, seconds: 5 * MINUTE, per: 'session' },
  salt: { points: 60, seconds: 5 * MINUTE, per: 'address' },
  register: { points: 10, seconds: 60 * MINUTE, per: 'address' },
  registerTotal: { points: 300, seconds: 60 * MINUTE, per: 'all' },
  availability: { points: 60, seconds: MINUTE, per: 'address' },
  availabilityTotal: { points: 1200, seconds: MINUTE, per: 'all' },

  account: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  keys: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** Once in the life of a session; of tabs that start at once, each. */
  proofs: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  /** New history keys: each is sealed to all devices, kept in the keyring for good, and makes every room wait for a commit. */
  historyKeys: { points: 20, seconds: DAY, per: 'user' },
  keyPackages: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** Each person that is met for the first time is a version of the book. */
  book: { points: 600, seconds: 10 * MINUTE, per: 'user' },
  addContact: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  answerContact: { points: 120, seconds: MINUTE, per: 'user' },
  /** A browser that was away marks all of its rooms. */
  marks: { points: 3000, seconds: MINUTE, per: 'user' },
  /** Delivered and read, for each message that another member may send. */
  marksInRoom: { points: 1200, seconds: MINUTE, per: 'room' },
  messages: { points: 300, seconds: 20, per: 'user' },
  messagesInRoom: { points: 150, seconds: 20, per: 'room' },
  messagesADay: { points: 20_000, seconds: DAY, per: 'user' },
  /** Who removes a device commits in all rooms. */
  commits: { points: 6000, seconds: 10 * MINUTE, per: 'user' },
  commitsInRoom: { points: 30, seconds: MINUTE, per: 'room' },
  /** New groups of one room. Each leaves the one before behind, and a browser follows 1,000 at most without asking [Note: R8]. */
  generations: { points: 5, seconds: 60 * MINUTE, per: 'room' },
  generationsADay: { points: 20, seconds: DAY, per: 'room' },
  repairs: { points: 6000, seconds: 10 * MINUTE, per: 'user' },
  repairsInRoom: { points: 60, seconds: 10 * MINUTE, per: 'room' },
  claimKeyPackages: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  claimKeyPackagesInRoom: { points: 20, seconds: DAY, per: 'room' },
  /** Of somebody who has not accepted the caller. */
  claimOfStranger: { points: 5, seconds: DAY, per: 'room' },
} as const

export type Rate = keyof typeof RATES

/** Those that a call can name: they are counted by who calls, and by the room that it names. */
export type CallRate = { [Name in Rate]: (typeof RATES)[Name]['per'] extends 'user' | 'room' ? Name : never }[Rate]

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
export const CONTRACT_VERSION = 3
