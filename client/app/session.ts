import type { FrameOf, FrameType } from '../../contract/frames.ts'
import { CONTRACT_VERSION, PERIODS } from '../../contract/limits.ts'
import { endedElsewhere, payOwedLogout, refreshUser } from '../account/account.ts'
import { accountStore } from '../account/store.ts'
import {
  notePresence,
  noteReceipt,
  noteTyping,
  refreshPreview,
  reloadContacts,
  reloadUnreadTotal,
  resetContacts,
} from '../contacts/contacts.ts'
import { contactsStore } from '../contacts/store.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import { meetContact, meetOwnDevices, refillKeyPackages, syncBook } from '../devices/devices.ts'
import type { Env } from '../env.ts'
import { receiveCommit, receiveMessage, syncRoom } from '../messages/messages.ts'
import { flushAll } from '../messages/send.ts'
import { refreshRoom, viewAs } from '../messages/viewing.ts'
import { ApiError } from '../net/api.ts'
import { connectionStore } from '../net/status.ts'
import { inLanes } from '../net/turns.ts'

const ROOMS_AT_ONCE = 6

/** Keeps an open account alive: the socket, the replay after each hello, and the polls while there is no socket. */
export function keepSession(env: Env, report: (error: unknown) => void): void {
  let stop: (() => void) | undefined
  accountStore.subscribe(({ phase, user }) => {
    if (phase === 'signed_in' && user && !stop) stop = run(env, user.id, report)
    if (phase !== 'signed_in' && stop) {
      stop()
      stop = undefined
    }
  })
  globalThis.addEventListener('online', () => void payOwedLogout(env).catch(report))
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
    on('hello', (hello) => (hello.contractVersion === CONTRACT_VERSION ? syncAll(env, userId) : reloadPage(env))),
    on('message', (message) => receiveMessage(env, message)),
    on('commit', (commit) => receiveCommit(env, commit)),
    on('contacts', () => syncAll(env, userId)),
    on('presence', notePresence),
    on('typing', noteTyping),
    on('receipt', (receipt) => {
      noteReceipt(receipt, userId)
      return refreshRoom(env, receipt.chatRoomId)
    }),
    on('signed_out', () => endedElsewhere(env, 'You were signed out.', { removeKeys: false })),
  ]
  const isLive = () => connectionStore.getState().phase === 'open'
  const polls = [
    // The server answers again: the socket need not wait for somebody to press "Reconnect".
    setInterval(() => isLive() || attempt(syncAll(env, userId).then(env.socket.reconnect)), PERIODS.contactsPollMs),
    setInterval(() => isLive() || attempt(reloadUnreadTotal(env)), PERIODS.unreadPollMs),
  ]
  const onVisible = () => document.visibilityState === 'visible' && attempt(refreshUser(env).then(() => syncAll(env, userId)))
  document.addEventListener('visibilitychange', onVisible)
  env.socket.open()
  attempt(checkDevice(env).then(() => syncAll(env, userId)))
  return () => {
    for (const off of offs) off()
    for (const poll of polls) clearInterval(poll)
    document.removeEventListener('visibilitychange', onVisible)
    env.socket.close()
    resetContacts()
    viewAs(undefined)
  }
}

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

/** Once a page: this device still belongs to the account, knows its book, and has key packages for those who write first. */
async function checkDevice(env: Env): Promise<void> {
  if (!(await meetOwnDevices(env)))
    return endedElsewhere(env, 'This browser was removed from your account.', { removeKeys: true })
  await syncBook(env)
  await refillKeyPackages(env)
}

async function sync(env: Env, userId: string): Promise<void> {
  const rows = await reloadContacts(env)
  await Promise.all(rows.map((row) => refreshPreview(env, row.chatRoomId, userId)))
  // Side by side: while the server answers for one room, another one is opened here.
  await inLanes(ROOMS_AT_ONCE, contactsStore.getState().rows, (row) =>
    inRow(row.id, async () => {
      const meeting = await meetContact(env, row)
      markKey(row.id, meeting === 'key_changed')
      await syncRoom(env, row)
    }),
  )
  await flushAll(env)
}

/** A failure of one contact's keys must not keep the others from being read. */
async function inRow(id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof CryptoFailure)) throw error
    markKey(id, true)
  }
}

const markKey = (id: string, keyChanged: boolean) =>
  contactsStore.setState(({ rows }) => ({
    rows: rows.map((row) => (row.id === id && row.keyChanged !== keyChanged ? { ...row, keyChanged } : row)),
  }))

/** An old page and a new server: load the new page, once nothing unsent could get lost. */
async function reloadPage(env: Env): Promise<void> {
  await flushAll(env)
  location.reload()
}
