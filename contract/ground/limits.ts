const KIB = 1024
const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** Names state units. */
export const LIMITS = {
  usernameMin: 3,
  usernameMax: 30,
  displayNameMax: 50,
  emailMax: 254,
  /** Characters. */
  deviceNameMax: 40,
  passwordMin: 6,
  passwordMax: 100,
  onionShownChars: 16,
  chatPasswordMin: 6,
  chatPasswordMax: 50,
  chatLockBytes: 1216,
  chatLockSeedsMax: 8,

  /** The sealed envelope, UTF-8. */
  contentBytes: 64 * KIB,
  /** The JSON form, UTF-8. */
  textBytes: 24 * KIB,
  pageDefault: 50,
  pageMax: 100,
  roomPageMax: 200,
  roomIdsMax: 50,
  logPageMax: 200,
  /** The message that reaches it ends the page. */
  pageBytes: 50 * 64 * KIB,
  /** Messages and commits each. */
  logPageBytes: 1024 * KIB,
  previewChars: 512,

  bookBytes: 4 * 1024 * KIB,
  bookSavedBytes: 3 * 1024 * KIB,
  keyringBytes: 64 * KIB,
  unknownBytes: 16 * KIB,
  bookCallBytes: 6 * 1024 * KIB,
  /** The largest keys have 900 kB. */
  keysCallBytes: 1024 * KIB,

  bodyBytes: 256 * KIB,
  /** The largest valid texts have 2,500 members, five levels. */
  json: { depthMax: 12, membersMax: 4000 },
  answerBytes: 4 * 1024 * KIB,
  pageAnswerBytes: 128 * 1024 * KIB,
  frameBytes: 128 * KIB,
  socketBufferBytes: 1024 * KIB,
  /** Headers and whole bodies. */
  requestSeconds: 30,
  streamBytesPerSecond: 4 * KIB,
  connectionsMax: 20_000,
  connectionsOfAddressMax: 200,
  keepAliveSeconds: 5,
  onionRequestSeconds: 90,
  onionKeepAliveSeconds: 60,
  socketsPerUser: 20,

  stepUpSeconds: 5 * MINUTE,
  sessionIdleSeconds: 14 * DAY,
  sessionAbsoluteSeconds: 90 * DAY,
  proofSeconds: DAY,

  unreadCap: 99,
  notificationCap: 9,

  keyPackagesOneTime: 50,
  keyPackagesLow: 20,
  devicesMax: 20,
  devicesRemovedMax: 1000,
  /** Removed and listed. The rest is for recoveries. */
  devicesEverMax: 980,
  manifestVersions: 100,
  /** A group of 40 leaves begins with 108 kB. */
  commitBytes: 256 * KIB,
  /** Grows by mutual contacts, up to the maximum (decision 0109). */
  keyBytesADay: 50 * 1024 * KIB,
  keyBytesADayOfContact: 512 * KIB,
  keyBytesADayMax: 500 * 1024 * KIB,
  commitsOfRequest: 5,
  historySealsPerDevice: 200,
  archiveKeysAtOnce: 100,
  /** The newest history keys. */
  archiveKeysPerSlot: 4,
  archiveKeysLeftMax: 200,
  archivePagesMax: 1000,
  archivePageEpochs: 1000,
  archivePageBytes: 256 * KIB,
  contactsMax: 5000,
  requestsMax: 100,
  /** Unsigned ones end first, then the least recently used. */
  sessionsPerUser: 100,
  signInsPerUser: 50,
  signInDays: 30,
  qrTokenMax: 22,
  qrTokenShownChars: 12,
  codeUsesMax: 100,
  requestDays: 90,
  keyPackageDays: 90,
  /** For claims whose group was never made. */
  keyPackageClaimDays: 1,
  /** Browsers unpack a pixel to four bytes. */
  photoBytes: 5 * 1024 * KIB,
  photoPixels: 25_000_000,
  photoSidePx: 320,
  /** Uploads that nothing uses. */
  uploadsWaitingMax: 10,
  uploadKeptSeconds: DAY,
  /** Before sealing (`sealedMaxBytes`). */
  fileBytes: 10 * 1024 * KIB,
  sealingBytes: 64 * KIB,
  /** Padded sizes. */
  sealedFileMinBytes: 4 * KIB,
  sealedFileBytes: 10_496 * KIB,
  uploadPartsMax: 10_000,
  uploadPartMinBytes: 5 * 1024 * KIB,
  onionPartMinBytes: 1024 * KIB,
  /** Files that no message carries. */
  filesWaitingMax: 100,
  /** An upload begins, and ends, within this time. */
  uploadSeconds: 15 * MINUTE,
  uploadArrivesSeconds: 2 * 60 * MINUTE,
  downloadSeconds: 5 * MINUTE,
  roomMembersMax: 1000,
  adminPage: 20,
} as const

export const PERIODS = {
  proofMs: 6 * 60 * MINUTE * 1000,
  leftBehindMs: 20_000,
  contactCodeMs: 6 * MINUTE * 1000,
  contactCodePollMs: 30_000,
  reconnectMs: 3000,
  reconnectAttempts: 5,
  heartbeatMs: 25_000,
  typingShownMs: 6000,
  typingSentMs: 3000,
  uploadSilenceMs: 90_000,
} as const

/** Raise it if an old tab or server could misread a new one. */
export const CONTRACT_VERSION = 7
