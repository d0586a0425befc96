import type { FrameOf, FrameType } from '../../contract/frames.ts'
import { CONTRACT_VERSION, PERIODS } from '../../contract/limits.ts'
import { refreshUser } from '../account/account.ts'
import { type AccountState, accountStore } from '../account/store.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import { hearTabs, lookAtDevices, resetDevices } from '../devices/list.ts'
import { refillKeyPackages } from '../devices/packages.ts'
import type { Env } from '../env.ts'
import { receiveCommit, receiveMessage, syncRoom } from '../messages/messages.ts'
import { flushAll } from '../messages/send.ts'
import { refreshRoom, viewAs } from '../messages/viewing.ts'
import { ApiError } from '../net/api.ts'
import { connectionStore } from '../net/status.ts'
import { inLanes } from '../net/turns.ts'
import { enterEverywhere } from '../rooms/gate.ts'
import { reloadContacts, reloadUnreadTotal } from '../rooms/list.ts'
import { notePresence, noteReceipt, noteTyping } from '../rooms/news.ts'
import { refreshPreview } from '../rooms/preview.ts'
import { contactsStore, resetContacts } from '../rooms/rows.ts'
import { reloadVerified } from '../rooms/verified.ts'
import { keepIndexed } from '../search/indexing.ts'
import { stopOlder } from '../search/older.ts'
import { forgetSearch } from '../search/search.ts'
import { checkBook, saveBook } from '../trust/book.ts'
import { meetContact } from '../trust/peers.ts'
import { hearOfOwnKeys, signedOutElsewhere } from './ending.ts'

const ROOMS_AT_ONCE = 6

/** Keeps an open account alive: the socket, the replay after each hello, and the polls while there is no socket. */
export function keepSession(env: Env, report: (error: unknown) => void): void {
  let stop: (() => void) | undefined
  const follow = ({ phase, user }: AccountState) => {
    if (phase === 'signed_in' && user && !stop) stop = run(env, user.id, report)
    if (phase !== 'signed_in' && stop) {
      stop()
      stop = undefined
    }
  }
  accountStore.subscribe(follow)
  follow(accountStore.getState())
}

function run(env: Env, userId: string, report: (error: unknown) => void): () => void {
  viewAs(userId)
  /** Being offline is a state of the page, not an error to report. */
  const attempt = (work: Promise<unknown>) =>
    void work.catch((error) => {
      if (!(error instanceof ApiError && (error.status === 0 || error.status === 401))) report(error)
    })
  const on = <T extends FrameType>(type: T, hear: (data: FrameOf<T>['data']) => unknown) =>
    env.socket.on(type, (data) => attempt(Promise.resolve().then(() => hear(data))))
  const offs = [
    on('hello', (hello) =>
      hello.contractVersion === CONTRACT_VERSION
        ? Promise.all([syncAll(env, userId), hearOfOwnKeys(env, userId)])
        : reloadPage(env),
    ),
    on('message', (message) => receiveMessage(env, message)),
    on('commit', (commit) => receiveCommit(env, commit)),
    on('contacts', () => syncAll(env, userId)),
    on('devices', () => hearOfOwnKeys(env, userId)),
    on('book', ({ version }) => hearOfSavedBook(env, userId, version)),
    on('presence', notePresence),
    on('typing', noteTyping),
    on('receipt', (receipt) => {
      noteReceipt(receipt, userId)
      return refreshRoom(env, receipt.chatRoomId)
    }),
    on('signed_out', ({ manifest }) => signedOutElsewhere(env, userId, manifest)),
    hearTabs(env, attempt),
  ]
  const index = keepIndexed(env, acceptedRooms, attempt)
  offs.push(contactsStore.subscribe(index.soon))
  const isLive = () => connectionStore.getState().phase === 'open'
  const polls = [
    // The server answers again: the socket need not wait for somebody to press "Reconnect".
    setInterval(() => isLive() || attempt(syncAll(env, userId).then(env.socket.retry)), PERIODS.contactsPollMs),
    setInterval(() => isLive() || attempt(reloadUnreadTotal(env)), PERIODS.unreadPollMs),
  ]
  const onVisible = () => document.visibilityState === 'visible' && attempt(refreshUser(env).then(() => syncAll(env, userId)))
  document.addEventListener('visibilitychange', onVisible)
  env.socket.open()
  attempt(checkDevice(env, userId).then(() => syncAll(env, userId)))
  return () => {
    for (const off of offs) off()
    for (const poll of polls) clearInterval(poll)
    document.removeEventListener('visibilitychange', onVisible)
    env.socket.close()
    index.stop()
    stopOlder()
    forgetSearch()
    resetContacts()
    resetDevices()
    viewAs(undefined)
  }
}

const acceptedRooms = () =>
  contactsStore.getState().rows.flatMap(({ state, chatRoomId }) => (state === 'accepted' ? [chatRoomId] : []))

let running: Promise<void> | undefined
let isAsked = false

/** One synchronisation at a time; asked for during one, it runs once more behind it. */
function syncAll(env: Env, userId: string): Promise<void> {
  isAsked = true
  running ??= (async () => {
    try {
      while (isAsked) {
        isAsked = false
        await sync(env, userId)
      }
    } finally {
      running = undefined
    }
  })()
  return running
}

/** Another browser of the account has decided something about people: it holds here too, at once [Note: I1]. */
async function hearOfSavedBook(env: Env, userId: string, version: number): Promise<void> {
  if ((await env.crypto.bookVersion()) >= version) return
  await checkBook(env)
  await syncAll(env, userId)
}

/** Once a page: this device still belongs to the account, knows its book, and has key packages for those who write first. */
async function checkDevice(env: Env, userId: string): Promise<void> {
  // Before the server shows another list: what this browser knew when it was added is what the person has seen.
  await lookAtDevices(env)
  await hearOfOwnKeys(env, userId)
  if (accountStore.getState().phase !== 'signed_in') return
  await refillKeyPackages(env)
  await checkBook(env)
}

async function sync(env: Env, userId: string): Promise<void> {
  const rows = await reloadContacts(env)
  await Promise.all(rows.map((row) => refreshPreview(env, row.chatRoomId, userId)))
  // Side by side: while the server answers for one room, another one is opened here.
  const failures: CryptoFailure[] = []
  await inLanes(ROOMS_AT_ONCE, contactsStore.getState().rows, (row) =>
    inRow(row.id, failures, async () => {
      const meeting = await meetContact(env, row)
      markKey(row.id, meeting === 'key_changed')
      await syncRoom(env, row)
    }),
  )
  await enterEverywhere(env, contactsStore.getState().rows)
  await flushAll(env)
  // What was decided about keys while the server was away; and what other browsers decided came with their messages.
  await saveBook(env)
  await reloadVerified(env)
  if (failures[0]) throw failures[0]
}

/** Of the account's own book and list: no contact's key has to do with it. */
const OF_ACCOUNT = ['book_rollback', 'book_spoiled', 'book_unread', 'history_key', 'own_rollback', 'manifest']

/** A failure of one contact's keys must not keep the others from being read, nor must one of the account: it is told at the end. */
async function inRow(id: string, failures: CryptoFailure[], work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof CryptoFailure)) throw error
    if (OF_ACCOUNT.includes(error.code)) failures.push(error)
    else markKey(id, true)
  }
}

/** An account that is gone has no key that could change. */
const markKey = (id: string, keyChanged: boolean) =>
  contactsStore.setState(({ rows }) => ({
    rows: rows.map((row) =>
      row.id === id && row.keyChanged !== keyChanged && !row.contactUser.isDeleted ? { ...row, keyChanged } : row,
    ),
  }))

/** An old page and a new server: load the new page, once nothing unsent could get lost. */
async function reloadPage(env: Env): Promise<void> {
  await flushAll(env)
  location.reload()
}
