const KIB = 1024
const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** The product's limits. Each name states its unit. */
export const LIMITS = {
  usernameMin: 3,
  usernameMax: 30,
  displayNameMax: 50,
  emailMax: 254,
  /** Characters of a device's name. In any script it fits into the sealed name. */
  deviceNameMax: 40,
  passwordMin: 6,
  passwordMax: 100,
  onionShownChars: 16,

  /** Size of a message's `content`: UTF-8 bytes of the sealed envelope. */
  contentBytes: 64 * KIB,
  /** Size of a typed text: UTF-8 bytes of its JSON form. Sealed and padded it stays below `contentBytes`. */
  textBytes: 24 * KIB,
  pageDefault: 50,
  pageMax: 100,
  /** Rows of an answer of the room list, and room ids that one request of it names. */
  roomPageMax: 200,
  roomIdsMax: 50,
  logPageMax: 200,
  /**
   * A page of messages ends with the message that brings its contents to this size. Pages of the default length stay below it.
   */
  pageBytes: 50 * 64 * KIB,
  /** The same bound for a page of the log, for its messages and its commits separately. */
  logPageBytes: 1024 * KIB,
  /** Characters of the newest message's `content` in a row of the contact list, where it is not sealed. */
  previewChars: 512,

  /** Size of an account's sealed address book: space for 5,000 contacts. */
  bookBytes: 4 * 1024 * KIB,
  /** Size of a call that carries a book as base64. */
  bookCallBytes: 6 * 1024 * KIB,

  bodyBytes: 256 * KIB,
  /** Bounds of a body, a frame or a signed document. The largest valid ones have some 2,500 members and five levels. */
  json: { depthMax: 12, membersMax: 4000 },
  /** Size of a response or frame that a page reads. Calls for pages of a log set a larger limit. */
  answerBytes: 4 * 1024 * KIB,
  pageAnswerBytes: 128 * 1024 * KIB,
  frameBytes: 128 * KIB,
  /** A socket with more unsent bytes is closed, so that a slow reader does not use up memory. */
  socketBufferBytes: 1024 * KIB,
  /** Time for the headers, and for a body that is read as a whole. A streamed body must also keep a minimum rate after it. */
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
  /** A device with fewer one-time key packages makes new ones. */
  keyPackagesLow: 20,
  devicesMax: 20,
  /** Ids of removed devices in a manifest. A manifest with more is refused. */
  devicesRemovedMax: 1000,
  /** Versions of an account's device list that the server stores, and whose hashes clients keep. */
  manifestVersions: 100,
  /** Size of a commit in decoded bytes: the creation of a group with 40 leaves has 108 kB. */
  commitBytes: 256 * KIB,
  /** Sealed history seeds that wait for a device. Beyond this number the oldest are deleted. */
  historySealsPerDevice: 200,
  archiveKeysAtOnce: 100,
  /**
   * Archive keys returned per epoch and slot (the committer's, the account's own devices'): those under the newest history keys.
   */
  archiveKeysPerSlot: 4,
  contactsMax: 5000,
  /** Open requests to one person. Beyond this number the oldest unanswered request is deleted. */
  requestsMax: 100,
  /** Sessions of a user. Beyond this number the least recently used ends, sessions without a device's signature first. */
  sessionsPerUser: 100,
  /** Sign-ins of a user that other browsers are told of. Beyond this number the oldest is forgotten. */
  signInsPerUser: 50,
  /** Days for which a browser that was away is told of a sign-in. */
  signInDays: 30,
  /** Characters of a contact code's token. */
  qrTokenMax: 22,
  qrTokenShownChars: 12,
  /** Uses of a user's contact codes that wait for an answer. Beyond this number the oldest is forgotten. */
  codeUsesMax: 100,
  /** Days after which an unanswered contact request lapses. */
  requestDays: 90,
  /** Days after which an unclaimed one-time key package is deleted. Its device makes new ones. */
  keyPackageDays: 90,
  /** Days after which a claimed key package is deleted if its group was never created. */
  keyPackageClaimDays: 1,
  roomMembersMax: 1000,
} as const

/**
 * Rate limits: `points` calls in `seconds`, counted `per` address, name, session, user, user and room (`room`), room of all users
 * together (`whole_room`), or for `all` together. The limits for people leave space for typing, pasting and reconnecting: twenty
 * messages at once and five a second are far below.
 */
export const RATES = {
  /** Failed sign-ins: by address, by name and address, by name from all addresses, by name and known browser. */
  signInByAddress: { points: 30, seconds: 5 * MINUTE, per: 'address' },
  signInByNameAndAddress: { points: 10, seconds: 5 * MINUTE, per: 'name' },
  signInByName: { points: 200, seconds: 5 * MINUTE, per: 'name' },
  signInByBrowser: { points: 10, seconds: 5 * MINUTE, per: 'name' },
  /** Attempts at the password or the recovery kit by a signed-in session. */
  guesses: { points: 10, seconds: 5 * MINUTE, per: 'session' },
  salt: { points: 60, seconds: 5 * MINUTE, per: 'address' },
  register: { points: 10, seconds: 60 * MINUTE, per: 'address' },
  registerTotal: { points: 300, seconds: 60 * MINUTE, per: 'all' },
  availability: { points: 60, seconds: MINUTE, per: 'address' },
  availabilityTotal: { points: 1200, seconds: MINUTE, per: 'all' },

  account: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** Each new name is told to everybody who lists the person. */
  profile: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  keys: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** A recovery reads at most one book of each device, twice. */
  recoveryBooks: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** A session needs one proof; each tab that starts at the same time sends its own. */
  proofs: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  /** New history keys. Each is sealed to all devices, stays in the keyring for good, and makes every room wait for a commit. */
  historyKeys: { points: 20, seconds: DAY, per: 'user' },
  /** Ends of other sessions, and answers to sign-ins. */
  sessions: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  keyPackages: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** Meeting a person for the first time makes a new version of the book. */
  book: { points: 600, seconds: 10 * MINUTE, per: 'user' },
  addContact: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** New contact codes. A page that shows one makes the next every six minutes. */
  codes: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  answerContact: { points: 120, seconds: MINUTE, per: 'user' },
  /** A browser that was offline marks all of its rooms at once. */
  marks: { points: 3000, seconds: MINUTE, per: 'user' },
  /** Two marks, delivered and read, for each message that another member may send. */
  marksInRoom: { points: 1200, seconds: MINUTE, per: 'room' },
  messages: { points: 300, seconds: 20, per: 'user' },
  messagesInRoom: { points: 150, seconds: 20, per: 'room' },
  messagesADay: { points: 20_000, seconds: DAY, per: 'user' },
  /** A person who removes a device commits in all rooms. */
  commits: { points: 6000, seconds: 10 * MINUTE, per: 'user' },
  commitsInRoom: { points: 30, seconds: MINUTE, per: 'room' },
  /**
   * New groups of one room, by all members together. Each replaces the previous one, and a browser follows at most 1,000 without
   * asking [Note: R8].
   */
  generations: { points: 5, seconds: 60 * MINUTE, per: 'whole_room' },
  generationsADay: { points: 20, seconds: DAY, per: 'whole_room' },
  repairs: { points: 6000, seconds: 10 * MINUTE, per: 'user' },
  repairsInRoom: { points: 60, seconds: 10 * MINUTE, per: 'room' },
  claimKeyPackages: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  claimKeyPackagesInRoom: { points: 20, seconds: DAY, per: 'room' },
  /** Claims of key packages of somebody who has not accepted the caller. */
  claimOfStranger: { points: 5, seconds: DAY, per: 'room' },
} as const

export type Rate = keyof typeof RATES

/** The rates that a call can name: those counted by the caller, or by the caller and the room that the call names. */
export type CallRate = { [Name in Rate]: (typeof RATES)[Name]['per'] extends 'user' | 'room' ? Name : never }[Rate]

/** Times that client and server agree on, in seconds and milliseconds. */
export const PERIODS = {
  contactsPollMs: 5000,
  unreadPollMs: 3000,
  /** Life of a contact code, and how often a page reads it while it is shown. */
  contactCodeMs: 6 * MINUTE * 1000,
  contactCodePollMs: 30_000,
  reconnectMs: 3000,
  reconnectAttempts: 5,
  heartbeatMs: 25_000,
  typingShownMs: 6000,
  typingSentMs: 3000,
  /** A call fails after this time without a byte: calls that read, calls that write, calls that carry keys or a book. */
  readSilenceMs: 30_000,
  writeSilenceMs: 45_000,
  uploadSilenceMs: 90_000,
  wholeAnswerMs: 300_000,
} as const

/** Raise it if an old tab could misread a new server, or the reverse. */
export const CONTRACT_VERSION = 3
