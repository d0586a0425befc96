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
  roomMembersMax: 1000,
  /** Rows of a page of accounts. */
  adminPage: 20,
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
export const CONTRACT_VERSION = 6
