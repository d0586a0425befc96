import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { accountApi } from '../../contract/account/account.ts'
import type { Assertion } from '../../contract/account/assertion.ts'
import { type AccountKeys, devicesApi, type KeyChange, type SignedBook } from '../../contract/account/devices.ts'
import { keyringShape, type Manifest, manifestShape } from '../../contract/account/documents.ts'
import { recoveryApi } from '../../contract/account/recovery.ts'
import { stepUpApi } from '../../contract/account/stepup.ts'
import { toBase64 } from '../../contract/ground/bytes.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { base64Chars, membersOfDirectRoom, type Signed } from '../../contract/ground/shapes.ts'
import { ApiError } from '../net/api.ts'
import { dropLeaving, passkeyVerbs, requireFactor } from './passkeys.ts'
import { ALL_SHOWN } from './privacy.ts'
import { type Account, accountIn, type Room, type ServerState, saltOf, type Verb } from './state.ts'

/** Time when the server last saw each device. */
export const SEEN_AT = '2026-01-02T03:04:05.000Z'

const CHALLENGE = toBase64(new Uint8Array(32))

/** Stores a new account, or another device of an account. */
export function registerIn({ accounts }: ServerState, userId: string, keys: AccountKeys): void {
  const { oneTime, lastResort } = keys.keyPackages
  const packages = [...oneTime.map((keyPackage) => ({ deviceId: keys.deviceId, keyPackage, isLastResort: false }))]
  if (lastResort) packages.push({ deviceId: keys.deviceId, keyPackage: lastResort, isLastResort: true })
  const known = accounts.get(userId)
  const unlock = { deviceId: keys.deviceId, unlockSecret: toBase64(randomBytes(32)), challenge: null }
  accounts.set(userId, {
    keys,
    ...(known?.books && { books: known.books }),
    book: known?.book ?? { version: 0, historyKeyId: 0, sealed: null, deviceId: null, signature: null },
    packages: [...(known?.packages ?? []), ...packages],
    username: known?.username ?? 'someone',
    authSecret: known?.authSecret ?? null,
    kitSecret: known?.kitSecret ?? null,
    historySeals: known?.historySeals ?? [],
    ...(known?.sessions && { sessions: known.sessions }),
    ...(known?.signIns && { signIns: known.signIns }),
    ...(known?.passkeys && { passkeys: known.passkeys }),
    ...(known?.biometricEnabled && { biometricEnabled: true }),
    unlock,
    unlocks: { ...known?.unlocks, [keys.deviceId]: unlock },
  })
}

/** Reads the fields of a manifest that a server checks, in any version. */
export const headOf = ({ content }: Signed): Pick<Manifest, 'identityKey' | 'version'> =>
  manifestShape.pick({ identityKey: true, version: true }).parse(JSON.parse(content))

/** Returns the server's response about an account's newest manifest. */
export function manifestAnswer({ accounts }: ServerState, userId: string) {
  const account = accounts.get(userId)
  if (!account) return { userId, identityKey: null, manifest: null, version: 0 }
  const { identityKey, version } = headOf(account.keys.manifest)
  return { userId, identityKey, manifest: account.keys.manifest, version }
}

/** The endpoints of accounts, devices and keys, according to the contract. */
export function accountVerbs(state: ServerState): Verb[] {
  const { rooms } = state
  const own = (userId: string): Account => accountIn(state, userId)

  const userOf = (userId: string) => ({
    id: userId,
    username: own(userId).username,
    displayName: own(userId).username,
    profileImageUrl: null,
    isAdmin: false,
    subscriptionTier: 'free',
    biometricEnabled: own(userId).biometricEnabled ?? false,
    email: null,
    onionAddress: null,
    hasKeys: true,
    deviceId: own(userId).unlock?.deviceId ?? null,
    privacy: ALL_SHOWN,
  })

  const keysOf = ({ keys, historySeals }: Account, deviceId: string) => ({
    keyring: keys.keyring,
    manifest: keys.manifest,
    historySeals: historySeals.filter((seal) => seal.deviceId === deviceId),
  })

  function signUp(userId: string, { username, password, keys }: { username: string; password: string; keys: AccountKeys }) {
    registerIn(state, userId, keys)
    Object.assign(own(userId), { username, authSecret: password })
    return { ...userOf(userId), unlock: own(userId).unlock }
  }

  function login(userId: string, authSecret: string, assertion?: Assertion) {
    if (own(userId).authSecret !== authSecret) throw new ApiError(401, 'invalid_credentials', 'Invalid username or password')
    requireFactor(own(userId), assertion)
    return { ...userOf(userId), unlock: null }
  }

  function loginByKit(userId: string, kitSecret: string) {
    if (own(userId).kitSecret !== kitSecret) throw wrongKit()
    return { ...userOf(userId), deviceId: null, unlock: null }
  }

  const wrongKit = () => new ApiError(401, 'wrong_kit', 'This recovery kit does not open this account')

  /**
   * True if each document is exactly one version newer; false for a repeated request whose response was lost. Throws
   * ApiError('stale_version') otherwise.
   */
  function isNews(
    { keys }: Account,
    next: { keyring: { content: string }; manifest: { content: string } },
    keyringStays = false,
  ) {
    if (keys.manifest.content === next.manifest.content) return false
    const versions = (shape: typeof keyringShape | typeof manifestShape, one: string, other: string) =>
      shape.parse(JSON.parse(other)).version - shape.parse(JSON.parse(one)).version
    const isNext =
      versions(manifestShape, keys.manifest.content, next.manifest.content) === 1 &&
      versions(keyringShape, keys.keyring.content, next.keyring.content) === (keyringStays ? 0 : 1)
    if (!isNext) throw new ApiError(409, 'stale_version', 'Another device changed this first')
    return true
  }

  function changeKeys(userId: string, change: KeyChange, password?: string) {
    const account = own(userId)
    const next = manifestShape.parse(JSON.parse(change.manifest.content))
    if (!isNews(account, change)) return { version: next.version }
    if (password !== undefined && password !== account.authSecret)
      throw new ApiError(401, 'invalid_credentials', 'Invalid username or password')
    // A new kit in the keyring and its secret for the server must come together.
    const kitIn = ({ content }: { content: string }) =>
      keyringShape.parse(JSON.parse(content)).ways.find(({ kind }) => kind === 'kit')?.publicKey
    const kit = kitIn(change.keyring)
    const isNewKit = kit !== undefined && kit !== kitIn(account.keys.keyring)
    if (isNewKit !== (typeof change.kitSecret === 'string') || (!kit && account.kitSecret && change.kitSecret !== null))
      throw new ApiError(400, 'invalid_input', 'The keyring and the recovery kit do not fit')
    if (change.book) saveBook(account, change.book)
    dropLeaving(account, change.keyring)
    account.keys = { ...account.keys, keyring: change.keyring, manifest: change.manifest }
    account.historySeals.push(...change.historySeals)
    if (change.kitSecret !== undefined) account.kitSecret = change.kitSecret
    if (!next.keepsHistory)
      for (const room of roomsOf(userId)) room.archiveKeys = room.archiveKeys.filter((key) => key.userId !== userId)
    dropRemoved(account)
    if (change.book) for (const room of roomsOf(userId)) room.needsCommit = true
    return { version: next.version }
  }

  /** Deletes the key packages and the books of removed devices. */
  function dropRemoved(account: Account): void {
    const { removed } = manifestShape.parse(JSON.parse(account.keys.manifest.content))
    account.packages = account.packages.filter(({ deviceId }) => !removed.includes(deviceId))
    account.books = Object.fromEntries(Object.entries(account.books ?? {}).filter(([id]) => !removed.includes(id)))
  }

  const roomsOf = (userId: string): Room[] =>
    [...rooms].filter(([chatRoomId]) => membersOfDirectRoom(chatRoomId).includes(userId)).map(([, room]) => room)

  function changePassword(
    userId: string,
    { currentPassword, newPassword, keys }: { currentPassword: string; newPassword: string; keys?: KeyChange },
  ) {
    const account = own(userId)
    if (keys && !isNews(account, keys)) return {}
    if (account.authSecret !== null && account.authSecret !== currentPassword)
      throw new ApiError(401, 'invalid_credentials', 'Invalid username or password')
    if (keys) changeKeys(userId, keys)
    account.authSecret = newPassword
    return {}
  }

  function enrol(userId: string, keys: AccountKeys) {
    if (isNews(own(userId), keys, true)) registerIn(state, userId, keys)
    return own(userId).unlock
  }

  type Recovery = z.output<typeof recoveryApi.recover.input>

  function recover(userId: string, { kitSecret, password, keys, newKitSecret, historySeals, book }: Recovery) {
    const account = own(userId)
    if (isNews(account, keys)) {
      if (account.kitSecret !== kitSecret) throw wrongKit()
      if (!book) throw new ApiError(409, 'history_key_required', 'This change needs a new history key')
      saveBook(account, book)
      registerIn(state, userId, keys)
      Object.assign(own(userId), { authSecret: password, kitSecret: newKitSecret })
      own(userId).historySeals.push(...historySeals)
      dropRemoved(own(userId))
      for (const room of roomsOf(userId)) room.needsCommit = true
    }
    return { ...userOf(userId), unlock: own(userId).unlock }
  }

  const unlockOf = ({ unlock, unlocks, asleep }: Account, deviceId: string) =>
    unlock && { ...(unlocks?.[deviceId] ?? unlock), ...(asleep?.has(deviceId) && { challenge: CHALLENGE }) }

  const seenOf = ({ keys }: Account, deviceId: string) =>
    manifestShape
      .parse(JSON.parse(keys.manifest.content))
      .devices.map(({ id, addedAt }) => ({ id, addedAt, lastSeenAt: SEEN_AT, isCurrent: id === deviceId }))

  function saveBook(account: Account, book: SignedBook) {
    if (book.version !== account.book.version + 1) throw new ApiError(409, 'stale_version', 'Another device changed this first')
    account.book = book
    account.books = { ...account.books, [book.deviceId]: book }
    return { version: book.version }
  }

  function requireSmall({ book: before }: Account, book: SignedBook): SignedBook {
    const isSmall = book.sealed.length <= base64Chars(LIMITS.bookSavedBytes)
    if (isSmall || book.sealed.length < (before.sealed?.length ?? 0)) return book
    throw new ApiError(413, 'book_full', 'Your address book is full')
  }

  function readBook({ book, books = {} }: Account, writer?: string) {
    const wanted = writer === undefined ? book : books[writer]
    const others = Object.values(books)
      .filter((one) => one.deviceId !== wanted?.deviceId)
      .sort((a, b) => b.version - a.version)
      .map(({ deviceId, version }) => ({ writer: deviceId, version }))
    return { version: 0, historyKeyId: 0, sealed: null, deviceId: null, signature: null, ...wanted, others }
  }

  return [
    [devicesApi.keys, (_, userId, deviceId) => keysOf(own(userId), deviceId)],
    [devicesApi.changeKeys, (change: KeyChange & { password?: string }, userId) => changeKeys(userId, change, change.password)],
    [devicesApi.enrol, (keys: AccountKeys, userId) => enrol(userId, keys)],
    [devicesApi.unlock, (_, userId, deviceId) => unlockOf(own(userId), deviceId)],
    [devicesApi.challenge, () => ({ challenge: CHALLENGE })],
    [devicesApi.list, (_, userId, deviceId) => seenOf(own(userId), deviceId)],
    [accountApi.salt, ({ username }: { username: string }) => ({ salt: saltOf(username) })],
    [
      stepUpApi.confirm,
      ({ password }: { password?: string }, userId) => {
        if (own(userId).authSecret !== password) throw new ApiError(401, 'invalid_credentials', 'The password is wrong')
        return { until: new Date(Date.now() + LIMITS.stepUpSeconds * 1000).toISOString() }
      },
    ],
    [accountApi.user, (_, userId) => userOf(userId)],
    [accountApi.logout, () => ({})],
    [accountApi.register, (input: { username: string; password: string; keys: AccountKeys }, userId) => signUp(userId, input)],
    [
      accountApi.login,
      (input: { password: string; assertion?: Assertion }, userId) => login(userId, input.password, input.assertion),
    ],
    [recoveryApi.loginByKit, (input: { kitSecret: string }, userId) => loginByKit(userId, input.kitSecret)],
    [recoveryApi.recover, (input: Recovery, userId) => recover(userId, input)],
    [
      recoveryApi.recoveryBook,
      ({ kitSecret, writer }: { kitSecret: string; writer?: string }, userId) => {
        if (own(userId).kitSecret !== kitSecret) throw wrongKit()
        return readBook(own(userId), writer)
      },
    ],
    [
      accountApi.changePassword,
      (input: { currentPassword: string; newPassword: string; keys?: KeyChange }, userId) => changePassword(userId, input),
    ],
    ...passkeyVerbs(state, { changeKeys, userOf }),
    [devicesApi.manifest, (input: { userId: string }) => manifestAnswer(state, input.userId)],
    [devicesApi.book, ({ writer }: { writer?: string }, userId) => readBook(own(userId), writer)],
    [devicesApi.saveBook, (book: SignedBook, userId) => saveBook(own(userId), requireSmall(own(userId), book))],
  ]
}
