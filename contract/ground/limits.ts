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
  chatPasswordMin: 6,
  chatPasswordMax: 50,
  /** The longest part of a chat's lock in the book, its public key, and the earlier seeds that a lock keeps. */
  chatLockBytes: 1216,
  chatLockSeedsMax: 8,

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
  /** Size of a call that carries the account's keys: the largest keyring, manifest and key packages together have some 900 kB. */
  keysCallBytes: 1024 * KIB,

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

  /** Time for which a confirmation counts in its session. */
  stepUpSeconds: 5 * MINUTE,
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
  archiveKeysLeftMax: 200,
  /** Pages of archive keys of an account in a room that has or had a chat password, epochs that one call adds, and size of each page. */
  archivePagesMax: 1000,
  archivePageEpochs: 1000,
  archivePageBytes: 256 * KIB,
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
  /** Browsers of a user that a push service wakes, and characters of the address of each. */
  pushSubscriptionsMax: 20,
  pushEndpointMax: 2000,
  /** Size of a profile photo, and pixels that one may have: browsers unpack it at four bytes a pixel. */
  photoBytes: 5 * 1024 * KIB,
  photoPixels: 25_000_000,
  /** Width and height of the photo that a browser makes of a chosen picture. */
  photoSidePx: 320,
  /** Uploads of a user that nothing uses. Beyond this number the oldest is deleted, and each after so many seconds. */
  uploadsWaitingMax: 10,
  uploadKeptSeconds: DAY,
  /** Size of a file that a chat takes, before it is sealed, and bytes that sealing may add to it (`sealedMaxBytes`). */
  fileBytes: 10 * 1024 * KIB,
  sealingBytes: 64 * KIB,
  /** Size of the smallest and the largest sealed file, padded. */
  sealedFileMinBytes: 4 * KIB,
  sealedFileBytes: 10_496 * KIB,
  /** Numbers of the parts of an upload, and size of each part but the last. */
  uploadPartsMax: 10_000,
  uploadPartMinBytes: 5 * 1024 * KIB,
  /** Sealed files of a user that no message carries. Beyond this number the oldest is deleted, and each after `uploadKeptSeconds`. */
  filesWaitingMax: 100,
  /** Time in which the address of an upload takes its bytes, and after which bytes that are still coming come from nobody any more. */
  uploadSeconds: 15 * MINUTE,
  uploadArrivesSeconds: 2 * 60 * MINUTE,
  /** Time in which the address of a download answers, where a bucket does. */
  downloadSeconds: 5 * MINUTE,
  /** Payment requests of a user in coins that wait for money. Those that nobody paid are deleted after so many days. */
  coinPaymentsOpen: 5,
  coinPaymentDays: 30,
  roomMembersMax: 1000,
  /** Characters of a report's own text, messages that it may show, and characters of each. */
  reportTextMax: 2000,
  reportedMessagesMax: 20,
  reportedTextMax: 4000,
  /** Reports of a user that are kept; beyond this number the oldest goes. Each is kept for so many days at most. */
  reportsPerUser: 100,
  reportDays: 365,
  /** Rows of a page of accounts. */
  adminPage: 20,
  /** Days that the analytics show, and people below whom a figure is not exact. */
  analyticsDays: 30,
  fewPeople: 10,
  /** Months that the revenue shows. */
  revenueMonths: 12,
  reportsPage: 20,
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
  /** Challenges for a sign-in by passkey alone. */
  passkeyChallenges: { points: 60, seconds: 5 * MINUTE, per: 'address' },
  salt: { points: 60, seconds: 5 * MINUTE, per: 'address' },
  register: { points: 10, seconds: 60 * MINUTE, per: 'address' },
  registerTotal: { points: 300, seconds: 60 * MINUTE, per: 'all' },
  availability: { points: 60, seconds: MINUTE, per: 'address' },
  availabilityTotal: { points: 1200, seconds: MINUTE, per: 'all' },

  account: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** Each new name is told to everybody who lists the person. */
  profile: { points: 30, seconds: 10 * MINUTE, per: 'user' },
  /** Addresses for files, and the bytes sent to them. */
  uploads: { points: 300, seconds: 10 * MINUTE, per: 'user' },
  /** Each switch is told to everybody who shares it. */
  privacy: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** Subscriptions and quiet hours. A browser subscribes again at each start. */
  push: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  /** Payment requests, each with an address of its own, and looks at the chain for them. */
  coinPayments: { points: 20, seconds: DAY, per: 'user' },
  coinChecks: { points: 200, seconds: 10 * MINUTE, per: 'user' },
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
  /** Blocks and their ends. Each pair with messages between is one more range of places in the blocker's row of the room. */
  blocks: { points: 60, seconds: DAY, per: 'user' },
  /** Checkouts, changes, refunds. Each asks the card provider. */
  payments: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  reports: { points: 10, seconds: DAY, per: 'user' },
  /** Invitations made and taken back, and members removed. */
  invitations: { points: 30, seconds: DAY, per: 'user' },
  /** Invitations by mail: of an account, to one address, and of the server. Whoever has a Master plan chooses who is written to. */
  mails: { points: 20, seconds: DAY, per: 'user' },
  mailsToOne: { points: 3, seconds: DAY, per: 'name' },
  mailsTotal: { points: 300, seconds: 60 * MINUTE, per: 'all' },
  /** What administrators do: each leaves a row for good. */
  administration: { points: 120, seconds: 10 * MINUTE, per: 'user' },
  clearChat: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** A browser that was offline marks all of its rooms at once. */
  marks: { points: 3000, seconds: MINUTE, per: 'user' },
  /** Two marks, delivered and read, for each message that another member may send. */
  marksInRoom: { points: 1200, seconds: MINUTE, per: 'room' },
  /** Chat passwords set, changed, removed and given up. */
  chatPasswords: { points: 60, seconds: 10 * MINUTE, per: 'user' },
  /** Chats opened and locked again. Wrong passwords wait by the chat itself (`CHAT_LOCK`). */
  unlocks: { points: 300, seconds: 10 * MINUTE, per: 'user' },
  archivePages: { points: 1200, seconds: 10 * MINUTE, per: 'user' },
  archivePagesInRoom: { points: 120, seconds: 10 * MINUTE, per: 'room' },
  mutes: { points: 120, seconds: MINUTE, per: 'user' },
  mutesInRoom: { points: 30, seconds: MINUTE, per: 'room' },
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

/** The waits of a locked chat, in seconds. */
export const CHAT_LOCK = {
  /** A chat that a session has opened stays open for it while it is used within this time. */
  openSeconds: 15 * MINUTE,
  /** Changing or removing the chat password needs a verification that is not older. */
  freshSeconds: 5 * MINUTE,
  /** Wrong passwords before the first wait, which each further one doubles up to the longest. A right one ends the count. */
  tries: 5,
  firstWaitSeconds: 30,
  longestWaitSeconds: 60 * MINUTE,
} as const

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
export const CONTRACT_VERSION = 5
